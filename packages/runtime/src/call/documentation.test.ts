import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorTables, grpcNames, vendorRules } from '../adapters/vendor-errors.js'
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

const read = (page: string): string => readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8')
const page = read('errors.md')

const quoted = (fact: unknown): string => `\`${fact}\``
const plain = (fact: unknown): string => String(fact)

/** The reason and the action of a meaning, as Markdown. */
function consequence({ reason, action, mayHaveRun }: ErrorMeaning): readonly [reason: string, action: string] {
  const isRepeatable = reason === 'timeout' || mayHaveRun
  return [quoted(reason), isRepeatable ? '`wait`/`replan`' : quoted(action ?? LEGAL_ACTIONS[reason][0])]
}

/** Reason and action → the facts with this meaning, separated by commas. */
function factsByMeaning<Fact>(
  rows: readonly Row<Fact>[],
  write: (fact: Fact) => string,
  join: (reason: string, action: string) => string,
): readonly (readonly [meaning: string, facts: string])[] {
  const merged = new Map<string, string[]>()
  for (const [meaning, ...facts] of rows) {
    const key = join(...consequence(meaning))
    merged.set(key, [...(merged.get(key) ?? []), ...facts.map(write)])
  }
  return [...merged].map(([meaning, facts]) => [meaning, facts.join(', ')])
}

const cells = (reason: string, action: string): string => `${reason} | ${action} |`

function tableOf<Fact>(head: string, rows: readonly Row<Fact>[], write: (fact: Fact) => string): readonly string[] {
  const lines = factsByMeaning(rows, write, cells).map(([meaning, facts]) => `| ${facts} | ${meaning}`)
  return [`| ${head} | reason | action |`, '|---|---|---|', ...lines]
}

const others = [418, 599].map(
  (status) => `| other ${Math.floor(status / 100)}xx | ${cells(...consequence(meaningOfResponse(status)))}`,
)
const sqlState = (code: string): string => (code.length === 2 ? `class ${quoted(code)}` : quoted(code))
const grpc = (name: string): string => `${quoted(name)} (${grpcNames.indexOf(name)})`

const actions: Readonly<Record<RetryHint['action'], string>> = {
  correct_call: 'call the tool again with other arguments',
  wait: 'make the same call again later',
  replan: 'reach the goal in another way',
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
        return `| ${quoted(action)} | ${meaning} | ${text}${action === 'wait' ? ' / Try again later.' : ''} |`
      }),
    ],
  ],
  ['HTTP status', [...tableOf('status', STATUS_ROWS, plain), ...others]],
  ['Network codes', tableOf('`code`', CODE_ROWS, quoted)],
  ['JSON-RPC and MCP', tableOf('`code`', JSON_RPC_ROWS, plain)],
  ['Names', tableOf('`name`, class or `type`', NAME_ROWS, quoted)],
  [
    'Messages for models',
    [
      '| reason | message |',
      '|---|---|',
      ...Object.entries(FIXED_MESSAGES).map(([reason, message]) => `| ${quoted(reason)} | ${message} |`),
    ],
  ],
]

/** Vendor → the errors that the doc comment of its rule must list. */
const vendorLists: Readonly<Record<string, readonly (readonly [meaning: string, facts: string])[]>> = {
  aws: vendorList([...errorTables.awsLimits, ...errorTables.aws], quoted),
  axios: vendorList(errorTables.axios, quoted),
  cockatiel: vendorList(errorTables.cockatiel, quoted),
  grpc: vendorList(errorTables.grpc, grpc),
  openAi: vendorList(errorTables.openAi, quoted),
  slack: vendorList(errorTables.slack, quoted),
  sqlState: vendorList(errorTables.sqlState, sqlState),
  undici: vendorList(errorTables.undici, quoted),
}

function vendorList(rows: readonly Row<string>[], write: (fact: string) => string) {
  return factsByMeaning(rows, write, (reason, action) => `${reason} (${action})`)
}

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

describe('VendorRules in docs/runtime.md', () => {
  const [, section = ''] = read('runtime.md').split(/^### VendorRules$/m)
  const [body = ''] = section.split(/^##/m)
  const rules = new Map([...body.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name = '', text = '']) => [name, text]))

  it('has all rules', () => {
    expect([...rules.keys()]).toEqual(Object.keys(vendorRules))
  })

  it.each(Object.keys(vendorRules))('lists the errors of %s with their meanings', (name) => {
    const listed = [...(rules.get(name) ?? '').matchAll(/(`\w+` \(`\w+`(?:\/`\w+`)?\)): ([^.]*)\./g)]
    expect(listed.map(([, meaning, facts]) => [meaning, facts])).toEqual(vendorLists[name] ?? [])
  })
})
