import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorTables, grpcNames } from '../adapters/vendor-errors.js'
import type { RetryHint } from '../types/failure.js'
import {
  CODE_ROWS,
  type ErrorMeaning,
  JSON_RPC_ROWS,
  meaningOfResponse,
  NAME_ROWS,
  type Row,
  STATUS_ROWS,
} from './error-meanings.js'
import { nextStep } from './render.js'
import { FIXED_MESSAGES, LEGAL_ACTIONS } from './tool-failure.js'

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')

const quoted = (fact: unknown): string => `\`${fact}\``
const plain = (fact: unknown): string => String(fact)

/** The columns that say what follows from a fact. */
function consequence({ reason, action, mayHaveRun }: ErrorMeaning): string {
  const next = reason === 'timeout' || mayHaveRun ? '`wait`/`replan`' : quoted(action ?? LEGAL_ACTIONS[reason][0])
  return `${quoted(reason)} | ${next} |`
}

function tableOf<Fact>(head: string, rows: readonly Row<Fact>[], write: (fact: Fact) => string): readonly string[] {
  const merged = new Map<string, string[]>()
  for (const [meaning, ...facts] of rows) {
    const key = consequence(meaning)
    merged.set(key, [...(merged.get(key) ?? []), ...facts.map(write)])
  }
  return [
    `| ${head} | reason | action |`,
    '|---|---|---|',
    ...[...merged].map(([key, facts]) => `| ${facts.join(', ')} | ${key}`),
  ]
}

const others = [418, 599].map(
  (status) => `| other ${Math.floor(status / 100)}xx | ${consequence(meaningOfResponse(status))}`,
)
const sqlState = (code: string): string => (code.length === 2 ? `class ${quoted(code)}` : quoted(code))
const grpc = (name: string): string => `${quoted(name)} (${grpcNames.indexOf(name)})`

const actions: Readonly<Record<RetryHint['action'], string>> = {
  correct_call: 'call the tool again with other arguments',
  wait: 'make the same call again later',
  replan: 'reach the aim in another way',
  finish: 'do not make this call again',
}

const tables: readonly (readonly [string, readonly string[]])[] = [
  [
    'Errors',
    [
      '| `action` | next step | text for models |',
      '|---|---|---|',
      ...Object.entries(actions).map(([action, meaning]) => {
        const text = nextStep(action as RetryHint['action'], 7_000)
        return `| ${quoted(action)} | ${meaning} | ${text}${action === 'wait' ? ' (or: later)' : ''} |`
      }),
    ],
  ],
  ['HTTP status', [...tableOf('status', STATUS_ROWS, plain), ...others]],
  ['Network codes', tableOf('`code`', CODE_ROWS, quoted)],
  ['JSON-RPC and MCP', tableOf('`code`', JSON_RPC_ROWS, plain)],
  ['Names', tableOf('`name`, class or `type`', NAME_ROWS, quoted)],
  ['AWS', tableOf('`name`', [...errorTables.awsLimits, ...errorTables.aws], quoted)],
  ['axios', tableOf('`code`', errorTables.axios, quoted)],
  ['cockatiel', tableOf('property', errorTables.cockatiel, quoted)],
  ['gRPC', tableOf('`code`', errorTables.grpc, grpc)],
  ['OpenAI', tableOf('`name` or class', errorTables.openAi, quoted)],
  ['Slack', tableOf('`code`', errorTables.slack, quoted)],
  ['SQLSTATE', tableOf('`code`', errorTables.sqlState, sqlState)],
  ['undici', tableOf('`name` or class', errorTables.undici, quoted)],
  [
    'Messages for models',
    [
      '| reason | message |',
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
    [
      'name',
      [...NAME_ROWS, ...errorTables.awsLimits, ...errorTables.aws, ...errorTables.undici, ...errorTables.openAi],
    ],
    ['flag', errorTables.cockatiel],
    ['gRPC code', errorTables.grpc],
    ['JSON-RPC code', JSON_RPC_ROWS],
    ['SQLSTATE', errorTables.sqlState],
  ])('no %s has two meanings', (_, rows) => {
    const facts = rows.flatMap(([, ...row]) => row)
    expect(facts).toEqual([...new Set(facts)])
  })

  it('every status code of gRPC but OK has a meaning', () => {
    expect(errorTables.grpc.flatMap(([, ...names]) => names).sort()).toEqual(grpcNames.slice(1).sort())
  })
})

function tableBelow(title: string): readonly string[] {
  const [, section = ''] = page.split(new RegExp(`^#+ ${title}$`, 'm'))
  const [body = ''] = section.split(/^##/m)
  return body.split('\n').filter((line) => line.startsWith('|'))
}
