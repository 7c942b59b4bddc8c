import type { ReadLabel, WriteLabel } from '@toolgen/dsl'
import { singularWordsOf, wordSet } from '../ir/words.js'
import {
  type Defs,
  isObject,
  objectFrom,
  objectOf,
  own,
  type Schema,
  type SchemaObject,
} from '../schema/json-schema.js'
import { secretPaths } from '../schema/sensitive.js'

/** The description of the tool is not included, because descriptions are too vague. */
export interface FlowFacts {
  readonly names: readonly string[]
  readonly payload: Schema
  readonly readOnly?: boolean | undefined
  readonly destructive?: boolean | undefined
  /**
   * If set, `openWorldHint` of the MCP server replaces the guess of `untrusted` and `external` from the names of the tool. Fields such as `url` still
   * add these labels.
   */
  readonly openWorld?: boolean | undefined
  /** In uppercase. */
  readonly method?: string | undefined
  readonly server?: string | undefined
}

interface SuggestedFlow {
  readonly reads?: readonly ReadLabel[]
  readonly writes?: readonly WriteLabel[]
}

const readVerbs = wordSet(
  'get list search read fetch find query view show browse download export lookup describe check retrieve load inspect',
  'scan extract summarize poll select filter count snapshot wait resolve ask explore history analyze preview diff',
)
const writeVerbs = wordSet(
  'add create update set write edit insert append merge delete remove drop purge destroy erase move rename archive close reopen open',
  'assign run execute trigger start stop cancel retry approve reject play upsert patch put make generate apply commit fork',
)
const sendVerbs = wordSet(
  'send post publish push share invite reply forward email mail tweet notify submit upload broadcast sms',
)
const fetchVerbs = wordSet(
  'fetch scrape crawl navigate goto browse open visit extract map download load request attach clone import',
)
const finalVerbs = wordSet('send email mail publish pay charge refund transfer delete purge destroy erase drop')

const untrustedNouns = wordSet(
  'web internet site website url browser crawl scrape news article feed rss mail email inbox message thread issue ticket comment',
  'discussion review post reply topic tweet forum chat paper video',
)
/** Words for content that other people read. A tool that creates or changes such content gets the label `external`. */
const sharedNouns = wordSet(
  'issue comment message review ticket discussion topic post reply gist webhook invitation invite email mail tweet release fork form',
)
const privateNouns = wordSet(
  'file directory folder document drive mail email inbox message thread calendar event contact customer client patient employee user',
  'account profile order invoice payment transaction subscription balance database table sql row record log secret env credential',
  'memory note card board task todo project repository repo code commit git issue ticket wiki screenshot screen clipboard design',
  'artifact pipeline build cluster deal lead meeting recording transcript photo chat channel draft workspace my',
)
const publicWords = wordSet('web internet public news weather place wikipedia browser library documentation docs paper')

/** A tool with such a word and a field such as `command` gets the label `external`, because code can send data. */
const codeVerbs = wordSet('exec execute eval evaluate shell bash terminal command script code')
const codeFields = ['command', 'script', 'code']

export function suggestedFlow(facts: FlowFacts): SuggestedFlow | undefined {
  const { payload, openWorld, destructive, method } = facts
  const words = facts.names.flatMap(singularWordsOf)
  const has = (set: ReadonlySet<string>): boolean => words.some((word) => set.has(word))
  const isRequest = words.some((word, index) => word === 'request' && /^(?:pull|merge)$/.test(words[index - 1] ?? ''))
  const mode = modeOf(words, facts)
  const isFetch = takes(payload, ['url', 'urls', 'uri']) && has(fetchVerbs)
  const isCode = takes(payload, codeFields) && has(codeVerbs)
  const isOpen = (byName: boolean): boolean => openWorld ?? byName
  const reads: ReadLabel[] = []
  const writes: WriteLabel[] = []
  if (mode === 'read') {
    const isPrivate = has(privateNouns) || isRequest || takes(payload, ['sql'])
    if (isPrivate && !has(publicWords)) reads.push('private')
    if (isOpen(has(untrustedNouns) || isRequest)) reads.push('untrusted')
  }
  if (isFetch && !reads.includes('untrusted')) reads.push('untrusted')
  const sends = mode === 'write' && isOpen(has(sendVerbs) || has(sharedNouns) || isRequest)
  if ((sends || isFetch || isCode) && !isLocal(facts.server)) writes.push('external')
  const isFinal = mode === 'write' && (destructive ?? (has(finalVerbs) || method === 'DELETE'))
  if (isFinal) writes.push('irreversible')
  if (reads.length === 0 && writes.length === 0) return undefined
  return { ...(reads.length > 0 && { reads }), ...(writes.length > 0 && { writes }) }
}

export function suggestedFacts(facts: FlowFacts, result: Schema, definitions: Defs): SchemaObject {
  const parts = Object.entries({ payload: facts.payload, result }).flatMap(([part, schema]) => {
    const local = isObject(schema) ? own(schema, '$defs') : undefined
    const paths = secretPaths(schema, isObject(local) ? { ...definitions, ...(local as Defs) } : definitions)
    return Object.keys(paths).length === 0 ? [] : [[part, paths] as const]
  })
  const suggested = { ...suggestedFlow(facts), ...(parts.length > 0 && { sensitive: objectFrom(parts) }) }
  return Object.keys(suggested).length === 0 ? {} : { suggested }
}

function modeOf(words: readonly string[], { readOnly, method }: FlowFacts): 'read' | 'write' | undefined {
  if (readOnly === true || method === 'GET' || method === 'HEAD') return 'read'
  if (method !== undefined) return 'write'
  const verb = words.find((word) => readVerbs.has(word) || writeVerbs.has(word) || sendVerbs.has(word))
  if (verb === undefined) return readOnly === false ? 'write' : undefined
  return readVerbs.has(verb) ? 'read' : 'write'
}

function takes(payload: Schema, names: readonly string[]): boolean {
  const fields = isObject(payload) ? objectOf(own(payload, 'properties')) : {}
  return names.some((name) => own(fields, name) !== undefined)
}

const localServer =
  /^https?:\/\/(?:localhost|(?:127|10)(?:\.\d+){3}|192\.168(?:\.\d+){2}|\[::1\]|[^/]+\.(?:local|internal))(?=[:/]|$)/i

function isLocal(server: string | undefined): boolean {
  return server !== undefined && localServer.test(server)
}
