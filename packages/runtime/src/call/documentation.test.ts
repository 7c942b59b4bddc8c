import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  AWS_ROWS,
  CODE_ROWS,
  FLAG_ROWS,
  GRPC_NAMES,
  GRPC_ROWS,
  JSON_RPC_ROWS,
  NAME_ROWS,
  SQL_STATE_ROWS,
  STATUS_ROWS,
  verdictOfStatus,
} from './classify.js'
import { FIXED_MESSAGES, LEGAL_ACTIONS, type Row, type Verdict } from './tool-failure.js'

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')

const quoted = (fact: unknown): string => `\`${fact}\``
const plain = (fact: unknown): string => String(fact)

/** The columns that say what follows from a fact. */
function consequence({ reason, action, mayHaveRun }: Verdict): string {
  const next = reason === 'timeout' || mayHaveRun ? '`wait` or `replan`' : quoted(action ?? LEGAL_ACTIONS[reason][0])
  const waits = reason === 'rate_limited' || reason === 'unavailable' || reason === 'timeout'
  return `${quoted(reason)} | ${next} | ${waits ? 'where told' : '–'} |`
}

function tableOf<Fact>(head: string, rows: readonly Row<Fact>[], write: (fact: Fact) => string): readonly string[] {
  const merged = new Map<string, string[]>()
  for (const [verdict, ...facts] of rows) {
    const key = consequence(verdict)
    merged.set(key, [...(merged.get(key) ?? []), ...facts.map(write)])
  }
  return [
    `| ${head} | reason | action | \`retryAfterMs\` |`,
    '|---|---|---|---|',
    ...[...merged].map(([key, facts]) => `| ${facts.join(', ')} | ${key}`),
  ]
}

const others = [418, 599].map(
  (status) => `| other ${Math.floor(status / 100)}xx | ${consequence(verdictOfStatus(status))}`,
)
const sqlState = (code: string): string => (code.length === 2 ? `class ${quoted(code)}` : quoted(code))
const grpc = (name: string): string => `${quoted(name)} (${GRPC_NAMES.indexOf(name)})`

const tables: readonly (readonly [string, readonly string[]])[] = [
  ['HTTP status', [...tableOf('status', STATUS_ROWS, plain), ...others]],
  ['Codes of Node, undici, axios and Slack', tableOf('`code`', CODE_ROWS, quoted)],
  ['Names', tableOf('`name`, class or `type`', NAME_ROWS, quoted)],
  ['Exceptions of AWS', tableOf('`name`', AWS_ROWS, quoted)],
  ['Flags of cockatiel', tableOf('property', FLAG_ROWS, quoted)],
  ['gRPC', tableOf('`code`', GRPC_ROWS, grpc)],
  ['JSON-RPC and MCP', tableOf('`code`', JSON_RPC_ROWS, plain)],
  ['SQLSTATE', tableOf('`code`', SQL_STATE_ROWS, sqlState)],
  [
    'What a model is told',
    [
      '| reason | sentence |',
      '|---|---|',
      ...Object.entries(FIXED_MESSAGES).map(([reason, message]) => `| ${quoted(reason)} | ${message} |`),
    ],
  ],
]

describe('docs/errors.md', () => {
  it.each(tables)('says of "%s" what the code says', (title, lines) => {
    expect(tableBelow(title)).toEqual(lines)
  })

  it('has no other table', () => {
    expect(page.match(/^\|---/gm)).toHaveLength(tables.length)
  })

  it.each<readonly [string, readonly Row<unknown>[]]>([
    ['status', STATUS_ROWS],
    ['code', CODE_ROWS],
    ['name', [...NAME_ROWS, ...AWS_ROWS]],
    ['flag', FLAG_ROWS],
    ['gRPC code', GRPC_ROWS],
    ['JSON-RPC code', JSON_RPC_ROWS],
    ['SQLSTATE', SQL_STATE_ROWS],
  ])('no %s has two meanings', (_, rows) => {
    const facts = rows.flatMap(([, ...row]) => row)
    expect(facts).toEqual([...new Set(facts)])
  })

  it('every status code of gRPC but OK has a meaning', () => {
    expect(GRPC_ROWS.flatMap(([, ...names]) => names).sort()).toEqual(GRPC_NAMES.slice(1).sort())
  })
})

function tableBelow(title: string): readonly string[] {
  const [, section = ''] = page.split(new RegExp(`^##+ ${title}$`, 'm'))
  const [body = ''] = section.split(/^##/m)
  return body.split('\n').filter((line) => line.startsWith('|'))
}
