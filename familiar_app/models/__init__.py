"""Language models behind one port, and the adapters that speak to them."""
