import type { SchemaDocument } from '../../codec/evaluate/prepare.js'
import type { Fields } from '../../codec/json/kind.js'
import type { JsonKind } from '../../contract/issue.js'
import type { Report, WrittenSchema } from '../report/change.js'
import { removedNotes } from '../report/remove-keywords.js'
import type { NullPlan } from './null-plan.js'

/** A schema of strict mode, with where null stands for nothing in its values. */
export interface StrictNode {
  readonly schema: WrittenSchema
  readonly plan: NullPlan | undefined
}

/** What is needed to write the strict form of the schemas of one document. */
export interface StrictContext {
  readonly document: SchemaDocument
  readonly report: Report
  /** Writes a schema that stands at a pointer. */
  write(schema: unknown, pointer: string): StrictNode
  /** The name of the definition that a reference leads to, which is then written too; `undefined`: it leads elsewhere. */
  define(reference: string): string | undefined
}

/** A schema that is being written. */
export interface StrictSite {
  readonly schema: Fields
  readonly pointer: string
  readonly context: StrictContext
}

/** Reports that strict mode cannot say a schema, and stands in for it: the tool is not sent in strict form then. */
export function unsayable(site: Pick<StrictSite, 'pointer' | 'context'>, keyword: string, message: string): StrictNode {
  site.context.report({ pointer: site.pointer, keyword, kind: 'fallback', message, loosens: false })
  return { schema: {}, plan: undefined }
}

/** The notes on keywords that strict mode does not take. */
export function strictNotes(
  site: StrictSite,
  keeps: (keyword: string) => boolean,
  kinds?: readonly JsonKind[],
): readonly string[] {
  const { schema, pointer, context } = site
  return removedNotes({ schema, pointer, keeps, kinds, vendor: "OpenAI's strict mode", report: context.report })
}
