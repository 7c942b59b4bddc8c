// `npm run bench -- code-mode`: programs that models write in code mode, compared with two other libraries: plans as programs, tokens, mistakes that
// the checker finds, and speed. See code-mode/README.md.
import { mutationRows } from './code-mode/mutations.mjs'
import { airlineRows, declarationRows, planRows, tokenRows } from './code-mode/plans.mjs'
import { speedRows } from './code-mode/speed.mjs'

export const parts = {
  declarations: 'size of the declarations',
  plans: 'plans of NESTFUL as programs, compared with their specification and with plain calls',
  tokens: 'turns and tokens of these plans, with plain calls and as programs',
  airline: 'the 50 airline tasks of tau-bench, with plain calls and as programs',
  mutations: 'programs with one mistake: the part that is stopped before the first effect',
  speed: 'time of the check, of programs and of their calls',
}

const rowsOfPart = {
  declarations: declarationRows,
  plans: planRows,
  tokens: tokenRows,
  airline: airlineRows,
  mutations: mutationRows,
  speed: speedRows,
}

/** Measures the parts. Throws if a program returns a wrong value. */
export async function benchmark({ parts: chosen, quick, log }) {
  // The usual value in production.
  process.env.NODE_ENV = 'production'
  const rows = []
  for (const part of chosen) {
    log(`${parts[part]} ...`)
    rows.push(...(await rowsOfPart[part]({ quick, log })))
  }
  return rows
}
