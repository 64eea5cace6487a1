/** A condition on `pg_locks`, which shows all databases of the server that specs share: oids of tables are the same in each. */
export const IN_THIS_DATABASE = `pid in (select pid from pg_stat_activity where datname = current_database())`;
