import { peek } from './peek.js'
import {
  BROKEN_OFF,
  DENIED,
  INTERNAL,
  REJECTED,
  type Row,
  TIMEOUT,
  UNAVAILABLE,
  type Verdict,
  verdictsOf,
  WRONG_VALUES,
} from './verdict.js'

/** SQLSTATE by condition (five characters) or by class (the first two). */
export const SQL_STATE_ROWS: readonly Row<string>[] = [
  [WRONG_VALUES, '22'],
  [REJECTED, '23', '44', 'P0001', 'P0002'],
  [DENIED, '28', '42501'],
  [UNAVAILABLE, '40', '53', '55006', '55P03'],
  [BROKEN_OFF, '08', '57', '58'],
  [TIMEOUT, '25P03', '25P04', '57014', '57P05'],
  [INTERNAL, '0A', '25', '42', '54', 'XX'],
]

const BY_SQL_STATE = verdictsOf(SQL_STATE_ROWS)

/** Conditions that count also where nothing but the code is left of a database's error. */
const COMMON: ReadonlySet<string> = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '08P01', '22001', '22003', '22007', '22008', '22012', '22023'],
  ...['22P02', '22P05', '23000', '23502', '23503', '23505', '23514', '23P01', '28000', '28P01', '40001', '40P01'],
  ...['42501', '42601', '42703', '42P01', '53100', '53200', '53300', '55P03', '57014', '57P01', '57P02', '57P03'],
  'P0001',
])

/** What a SQLSTATE says; `undefined` where the code is none. */
export function verdictOfSqlState(error: unknown, code: string): Verdict | undefined {
  // A digit tells a SQLSTATE from an errno of five letters.
  if (!/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return undefined
  if (!COMMON.has(code) && !isDatabaseError(error)) return undefined
  return BY_SQL_STATE.get(code) ?? BY_SQL_STATE.get(code.slice(0, 2))
}

/** Five characters are also codes of applications and of ORMs: PostgreSQL adds a severity, PostgREST details and a hint. */
function isDatabaseError(error: unknown): boolean {
  if (typeof peek(error, 'severity') === 'string') return true
  return peek(error, 'hint') !== undefined && peek(error, 'details') !== undefined
}
