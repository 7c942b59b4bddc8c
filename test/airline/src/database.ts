import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Flight, Reservation, User } from './rows.js'

/** The airline's tables, each row by its id. */
export interface AirlineDatabase {
  /** No tool writes flights, so copies of the database may share them. */
  readonly flights: Readonly<Record<string, Readonly<Flight>>>
  readonly reservations: Record<string, Reservation>
  readonly users: Record<string, User>
}

/** Reads `flights.json`, `reservations.json` and `users.json` of a folder. */
export function loadAirlineDatabase(dir: string): AirlineDatabase {
  return {
    flights: readTable(dir, 'flights'),
    reservations: readTable(dir, 'reservations'),
    users: readTable(dir, 'users'),
  }
}

/** A private copy, on which a service may write without touching the original. */
export function freshDatabase({ flights, reservations, users }: AirlineDatabase): AirlineDatabase {
  return { flights, reservations: structuredClone(reservations), users: structuredClone(users) }
}

/** The row with this key, never something inherited such as `constructor`. */
export function rowOf<Row>(table: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

function readTable<Row>(dir: string, name: string): Record<string, Row> {
  return JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8'))
}
