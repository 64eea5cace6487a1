/** A condition on `pg_locks`, which shows all databases of the server that specs share: oids of tables are the same in each. */
export const IN_THIS_DATABASE = `database = (select oid from pg_database where datname = current_database())`;
