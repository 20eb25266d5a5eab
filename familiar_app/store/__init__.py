"""The encrypted vault and the profile folder around it: everything the program keeps on disk."""
