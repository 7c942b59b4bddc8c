import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { Evaluated } from './compile-project.js'

const onlyDefinitions = 'Keep it to definitions: no timers, no input or output, no promises left alone.'

/** How each is named, and its findings: that it failed in the background, and that it did not come to its end. */
const faults = {
  configuration: { name: 'configuration', failed: 'TG1011', ended: 'TG1010', next: onlyDefinitions },
  design: { name: 'design', failed: 'TG0005', ended: 'TG0004', next: onlyDefinitions },
  module: {
    name: 'module to serve',
    failed: 'TG7006',
    ended: 'TG7007',
    next: 'Catch it where it begins: nothing may fail unheard in a process that serves others.',
  },
} as const

/** What was evaluated started something that threw when nobody was there to catch it. */
export function failedInBackground(thrown: unknown, evaluated: Evaluated): Diagnostic {
  const [what = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')
  const { name, failed, next } = faults[evaluated]
  return {
    code: failed,
    severity: 'error',
    message: `Something that the ${name} started failed in the background: ${what}`,
    next,
  }
}

/** The process ended, or has nothing left to do, before the command was through. */
export function unfinished(evaluated: Evaluated): Diagnostic {
  const { name, ended } = faults[evaluated]
  const next =
    evaluated === 'module'
      ? 'Let toolgen end the process: await only what comes, and call no process.exit.'
      : 'Keep it to definitions: no awaiting at the top level, no process.exit.'
  return {
    code: ended,
    severity: 'error',
    message: `The ${name} never came to its end: it waits for something that never comes, or ends the process.`,
    next,
  }
}

/**
 * What was evaluated took longer than it may.
 *
 * @param limit in milliseconds
 */
export function overdue(evaluated: Evaluated, limit: number): Diagnostic {
  const { name, ended } = faults[evaluated]
  return {
    code: ended,
    severity: 'error',
    message: `The ${name} was not evaluated after ${limit / 1000} seconds, and was cut off.`,
    next: 'Look for a loop without an end or a wait for something that never comes; --time-limit gives it longer.',
  }
}
