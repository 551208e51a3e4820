-- The version of a stream is that of its last event, and the unique key of the events finds it. A table of its own said
-- the same a second time, for a fifth of what an append cost.
SET LOCAL ROLE tenure_owner;

DROP TABLE tenure.stream;

RESET ROLE;
