import type { MetaField } from '../values.js'
import type { FieldsOf, InputOf } from './schema.js'

/** What the checker shows for a field that the payload does not have directly. */
export interface NoSuchField<Field extends string, Fields> {
  readonly '~error': 'no such payload field'
  readonly field: Field
  readonly fields: Fields
}

/**
 * Payload field → meta field. The names are inferred, not constrained: a wrong name beside a right one would slip
 * through a constraint. The second half only offers the names to the editor.
 */
export type ServerOwned<Payload, Owned extends string> = {
  readonly [Field in Owned]: Field extends FieldsOf<Payload> ? MetaField : NoSuchField<Field, FieldsOf<Payload>>
} & { readonly [Field in FieldsOf<Payload>]?: unknown }

/**
 * What a caller sends to a tool: the payload's input without the fields that the runtime fills.
 *
 * @example
 * type Sent = SentTo<typeof payload, 'sessionId'>
 */
export type SentTo<Payload, Owned extends string> = [Owned] extends [never]
  ? InputOf<Payload>
  : WithoutFields<InputOf<Payload>, Owned>

// Homomorphic, hence distributive over variants; unlike Omit it keeps declared fields beside an index signature.
type WithoutFields<T, Owned> = { [Field in keyof T as Field extends Owned ? never : Field]: T[Field] }
