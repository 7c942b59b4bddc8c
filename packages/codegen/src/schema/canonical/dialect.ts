import { isObject, own } from '../json/json.js'
import type { Json, Schema } from '../json/json-schema.js'

/** What the declared dialect of a schema (`$schema`) means for how it is read. */
export interface Dialect {
  /** Whether the schema names a dialect; one that does is taken by the letter. */
  readonly declared: boolean
  /** Whether what stands beside a `$ref` has no effect: drafts 04 to 07. */
  readonly loneRef: boolean
  /** The keyword that gives a schema an address: `id` in draft 04. */
  readonly address: '$id' | 'id'
}

const drafts: RegExp = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)|draft-0([467]))\/schema#?$/
const openApi: RegExp = /^https:\/\/spec\.openapis\.org\/oas\/3\.1\/dialect\/[\w-]+$/

/** Whether a `$schema` names a dialect that is understood: drafts 04 to 2020-12, OpenAPI 3.1. */
export function isKnownDialect(name: Json): boolean {
  return typeof name === 'string' && (drafts.test(name) || openApi.test(name))
}

/** The dialect of a document; one that says nothing is read as 2020-12. */
export function dialectOf(document: Schema): Dialect {
  const name = isObject(document) ? own(document, '$schema') : undefined
  const [, , old] = drafts.exec(typeof name === 'string' ? name : '') ?? []
  return { declared: typeof name === 'string', loneRef: old !== undefined, address: old === '4' ? 'id' : '$id' }
}
