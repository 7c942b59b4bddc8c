/**
 * Whose calls are counted together: those of each tool, or those of all tools beneath one layer value. With `tool` the
 * state is new wherever the layer is attached; with `layer` it lives in the value and is shared wherever that is attached.
 */
export type StateScope = 'tool' | 'layer'

/** Gives out state for each tool that a layer is applied to. */
export function stateOf<State>(scope: StateScope, newState: () => State): () => State {
  if (scope === 'tool') return newState
  const shared = newState()
  return () => shared
}
