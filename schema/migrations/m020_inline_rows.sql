-- Rows that lie where they are looked for. What is sealed or hashed has nothing to compress, and trying takes as long as
-- the rest of the insertion; a flow, an answer and the record of somebody's credentials are read as often as written, and
-- stay in their rows up to what a page can hold instead of being cut up into another table. Rows that are there already
-- stay as they are.
SET LOCAL ROLE tenure_owner;

ALTER TABLE tenure.event ALTER COLUMN entry SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160);
-- Half a page is kept for new versions, so that they need no new places in the indexes.
ALTER TABLE tenure.flow ALTER COLUMN sealed SET STORAGE EXTERNAL, SET (fillfactor = 50, toast_tuple_target = 8160);
ALTER TABLE tenure.idempotency ALTER COLUMN answer SET STORAGE EXTERNAL,
    SET (fillfactor = 50, toast_tuple_target = 8160);

RESET ROLE;
