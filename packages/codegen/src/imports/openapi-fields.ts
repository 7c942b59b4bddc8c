import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { Schema, SchemaObject } from '../schema/json-schema.js'
import { unusedName } from '../schema/references.js'
import type { ApiOperation } from './openapi-operations.js'
import type { DocumentPart, PartKeys } from './openapi-parts.js'
import type { Direction } from './openapi-schemas.js'

export interface OperationContext {
  readonly root: SchemaObject
  readonly api: ApiOperation
  readonly names: FieldNames
  /** Returns a schema as the toolset has it. Default direction: that of requests. */
  schema(part: DocumentPart, direction?: Direction): Schema
  report(diagnostic: Diagnostic, keys: PartKeys): void
}

export interface ToolField {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Schema
}

/** A name that every vendor accepts for a field. */
const legalName = /^[a-zA-Z0-9_.-]{1,64}$/

/** Assigns unique names to the parameters and body fields of one payload. */
export class FieldNames {
  readonly #taken = new Set<string>()

  /**
   * Returns a name, and why it is not the wanted one.
   *
   * @param location prefix that distinguishes a repeated name, e.g. `query`
   */
  claim(wanted: string, location: string): { readonly field: string; readonly why?: string } {
    const isLegal = legalName.test(wanted) && wanted !== '__proto__'
    const legal = isLegal
      ? wanted
      : wanted
          .replace(/[^a-zA-Z0-9_.-]+/g, '_')
          .replace(/^_+|_+$/g, '')
          .slice(0, 60) || 'field'
    const base = this.#taken.has(legal) ? `${location}_${legal}`.slice(0, 60) : legal
    const field = unusedName(base, (candidate) => !this.#taken.has(candidate))
    this.#taken.add(field)
    if (field === wanted) return { field }
    return { field, why: isLegal ? 'another field has its name' : 'models take no field of its name' }
  }
}
