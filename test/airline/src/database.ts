import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Flight, Reservation, User } from './rows.js'

/** Tables of the airline. Each table contains rows by id. */
export interface AirlineDatabase {
  /** Copies of the database share the flights, because no tool changes them. */
  readonly flights: Readonly<Record<string, Readonly<Flight>>>
  readonly reservations: Record<string, Reservation>
  readonly users: Record<string, User>
}

/** Reads `flights.json`, `reservations.json` and `users.json` in a folder. */
export function loadAirlineDatabase(dir: string): AirlineDatabase {
  return {
    flights: readTable(dir, 'flights'),
    reservations: readTable(dir, 'reservations'),
    users: readTable(dir, 'users'),
  }
}

/** Returns a copy that a service can change without a change of the original. Each row is copied when it is first read. */
export function freshDatabase({ flights, reservations, users }: AirlineDatabase): AirlineDatabase {
  return { flights, reservations: copyOf(reservations), users: copyOf(users) }
}

/** Rows of copies that were read or written. */
const usedRows = new WeakMap<object, Record<string, unknown>>()

/** Returns the rows of a copy that were read or written. All other rows are those of the original. */
export function usedRowsOf({
  reservations,
  users,
}: AirlineDatabase): Readonly<Record<'reservations' | 'users', unknown>> {
  return { reservations: { ...usedRows.get(reservations) }, users: { ...usedRows.get(users) } }
}

function copyOf<Row>(table: Readonly<Record<string, Row>>): Record<string, Row> {
  const used: Record<string, Row> = {}
  const use = (rows: Record<string, Row>, key: string, row: Row): Row => {
    used[key] = row
    rows[key] = row
    return row
  }
  const copy = new Proxy<Record<string, Row>>(
    { ...table },
    {
      get(rows, key) {
        if (typeof key !== 'string' || !Object.hasOwn(rows, key)) return Reflect.get(rows, key)
        return Object.hasOwn(used, key) ? rows[key] : use(rows, key, structuredClone(rows[key] as Row))
      },
      set(rows, key, row: Row) {
        use(rows, String(key), row)
        return true
      },
    },
  )
  usedRows.set(copy, used)
  return copy
}

/** Returns the row with a key. Ignores inherited properties such as `constructor`. */
export function rowOf<Row>(table: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

function readTable<Row>(dir: string, name: string): Record<string, Row> {
  return JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8'))
}
