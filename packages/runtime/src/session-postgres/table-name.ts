/** The names of a store's tables, quoted as SQL wants them. */
export interface TableNames {
  /** The table of the sessions. */
  readonly sessions: string
  /** The table of the entries that have a row of their own, in the same schema. */
  readonly entries: string
  /** The table that says which migrations have been made, in the same schema. */
  readonly migrations: string
  /** The name of the table of the sessions as a SQL text. */
  readonly literal: string
}

const ENTRIES = '_entries'

const NAME = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,62})$/

/** @throws {TypeError} for a name that would not go into a statement as it is. */
export function tableNames(table: string): TableNames {
  const [, schema, name] = NAME.exec(table) ?? []
  if (name === undefined) {
    throw new TypeError(
      `A table is named 'table' or 'schema.table', in lower-case letters, digits and underscores; not ${JSON.stringify(table)}.`,
    )
  }
  const inSchema = (name: string): string => (schema === undefined ? `"${name}"` : `"${schema}"."${name}"`)
  // PostgreSQL cuts names at 63 bytes.
  const entries = `${name.slice(0, 63 - ENTRIES.length)}${ENTRIES}`
  return {
    sessions: inSchema(name),
    entries: inSchema(entries),
    migrations: inSchema('session_migrations'),
    literal: `'${name}'`,
  }
}
