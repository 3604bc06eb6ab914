"""Who a caller is and what it may do: authentication tokens, keys of accounts whose secrets are known, descriptors."""
