"""What people and machines read: tables, breakers, JSON Lines, made from events and the store."""
