"""Rules of the program without files, database, network or Qt. Everything else depends on this package."""
