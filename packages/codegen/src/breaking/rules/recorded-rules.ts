import type { Rule } from './rule.js'

/** The rules for calls that were recorded: each is decided by decoding it. */
export const recordedRules: readonly Rule[] = [
  {
    id: 'recorded-example-refused',
    category: 'recorded',
    severity: 'breaking',
    says: 'refuses an example of before',
    why: 'The examples of before are calls that the author thought right. The payload codec of now does not decode this one.',
    next: 'Take the example again, or expect that calls like it fail.',
  },
  {
    id: 'recorded-call-refused',
    category: 'recorded',
    severity: 'breaking',
    says: 'refuses a recorded call',
    why: 'The payload codec of now does not decode the arguments that a cassette recorded: a suspension, a session or a replay that holds such a call fails.',
    next: 'Take what was sent, or record the cassette again.',
  },
  {
    id: 'recorded-tool-missing',
    category: 'recorded',
    severity: 'breaking',
    says: 'is called in a recording and is gone',
    why: 'A cassette calls a tool that the design does not have.',
    next: 'Keep the tool, or record the cassette again.',
  },
]
