import { ToolFailure, tool, toolset } from '@toolgen/runtime'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'

/** A customer whose fields are secret. */
export const secrets = {
  email: 'ada.lovelace@analytical.example',
  ssn: '078-05-1120',
  salary: 1_234_567,
  iban: 'DE89 3704 0044 "0532" 0130',
} as const

/** A secret that models send only in invalid arguments. */
const misplaced = 'grace.hopper@navy.example'

/** Arguments of the tool of {@link bank} that are not JSON, or whose secret is not in the field `email`. */
export const invalidArguments: readonly string[] = [
  `{"email":"${misplaced}","n":1,}`,
  `{"email":"${misplaced}`,
  `email=${misplaced}`,
  JSON.stringify(JSON.stringify({ email: misplaced, n: 1 })),
  JSON.stringify({ Email: misplaced, n: 1 }),
  JSON.stringify({ payload: { email: misplaced, n: 1 } }),
  JSON.stringify([{ email: misplaced, n: 1 }]),
  JSON.stringify({ n: misplaced }),
  JSON.stringify({ email: 'a@b.example', n: 1, plan: misplaced }),
]

export const secretTexts: readonly string[] = [
  misplaced,
  secrets.email,
  secrets.ssn,
  String(secrets.salary),
  secrets.iban,
  // Secrets as they appear inside JSON and URLs.
  JSON.stringify(secrets.iban).slice(1, -1),
  encodeURIComponent(secrets.iban),
  encodeURIComponent(secrets.email),
]

/** Text that is not secret. It proves that a channel was used. */
export const marker = 'MARKER-7'

const customer = { id: marker, ...secrets, note: `Mail to ${secrets.email}, ${marker}.` }

export const everywhere = { model: 'pseudonym', events: 'omit', telemetry: 'omit', recording: 'pseudonym' } as const

const ofCustomer = { '/email': everywhere, '/ssn': everywhere, '/salary': everywhere, '/iban': everywhere }

/** Arguments of executed calls. */
export interface Received {
  readonly tool: string
  readonly args: unknown
}

/** Returns a toolset that reads and changes a customer, and the arguments that its tools received. */
export function crm() {
  const received: Received[] = []
  const keep = (name: string, args: unknown): void => {
    received.push({ tool: name, args })
  }
  const registration = toolset(
    'crm',
    tool({
      name: 'find',
      description: 'Finds a customer.',
      callHint: 'Looking for {{email}} {{id}}',
      resultHint: 'Found {{email}} {{id}}',
      parameters: { type: 'object', properties: { id: { type: 'string' }, email: { type: 'string' } } },
      annotations: { readOnly: true },
      sensitive: { payload: { '/email': everywhere }, result: ofCustomer },
      run: (args) => {
        keep('find', args)
        return customer
      },
    }),
    tool({
      name: 'mail',
      description: 'Sends a mail.',
      parameters: { type: 'object', properties: { to: { type: 'string' }, amount: {}, body: { type: 'string' } } },
      run: (args) => {
        keep('mail', args)
        return { sent: marker, to: args.to }
      },
    }),
    tool({
      name: 'fail',
      description: 'Fails.',
      parameters: { type: 'object', properties: { email: { type: 'string' } } },
      sensitive: { payload: { '/email': everywhere } },
      run: (args) => {
        keep('fail', args)
        throw new ToolFailure(`The address ${args.email} is unknown, ${marker}.`, {
          action: 'replan',
          cause: new Error(`no ${args.email}`),
        })
      },
    }),
    tool({
      name: 'watch',
      description: 'Watches a customer.',
      parameters: { type: 'object', properties: {} },
      updates: { type: 'object' },
      sensitive: { updates: ofCustomer, result: ofCustomer },
      run: async function* watch() {
        yield customer
        return customer
      },
    }),
  )
  return { registration, received }
}

/** Returns a toolset whose tool `bank_charge` rejects invalid arguments. */
export function bank() {
  const charge = toolOf('bank.charge', {
    arguments: {
      type: 'object',
      properties: { email: { type: 'string' }, n: { type: 'number' }, plan: { enum: ['monthly', 'yearly'] } },
      required: ['email', 'n'],
      additionalProperties: false,
    },
    spec: { sensitive: { payload: { '/email': everywhere } } },
  })
  return registrationOf(charge, () => ({ id: marker, total: 1 }))
}

/** Returns the first secret that the output contains, or `undefined`. */
export function secretIn(output: unknown): string | undefined {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return secretTexts.find((secret) => text.includes(secret))
}

/** Returns the pseudonyms in the last tool message of a conversation, by field. */
export function pseudonymsIn(messages: readonly { readonly role: string; readonly content?: unknown }[]) {
  const last = messages.filter(({ role }) => role === 'tool').at(-1)
  const fields: Record<string, string> = JSON.parse(String(last?.content))
  return fields
}
