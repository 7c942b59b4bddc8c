/** Why a part of a value cannot be JSON. */
export type UnwritableFacts =
  | { readonly constraint: 'not_json'; readonly received: string }
  | { readonly constraint: 'too_deep'; readonly maximum: number }

/**
 * Stands in a value for a part that JSON cannot carry. It is reported only where that part would be kept: what is
 * dropped may be anything.
 */
export class Unwritable {
  readonly facts: UnwritableFacts

  constructor(facts: UnwritableFacts) {
    this.facts = facts
  }
}

/** A value of which every part is plain JSON or an {@link Unwritable}, owned by the codec: it may be changed. */
export interface Owned {
  readonly value: unknown
  /** Whether it holds an {@link Unwritable}. */
  readonly faulty: boolean
}
