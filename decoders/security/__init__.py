"""Who a caller is and what it may do: authentication tokens as far as they tell, identifiers, security descriptors."""
