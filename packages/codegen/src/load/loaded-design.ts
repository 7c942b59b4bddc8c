import type { Agent, ServiceClient, Toolset } from '@toolgen/dsl'
import type { SourceLocation } from '../diagnostics/diagnostic.js'

/** What the design's modules evaluated to, and where it stands. */
export interface LoadedDesign {
  /** Every toolset that is exported, used or offered, once each. */
  readonly toolsets: readonly Toolset[]
  /** Every exported agent, once each. */
  readonly agents: readonly Agent[]
  /** How each exported service client is reached. */
  readonly clients: ReadonlyMap<ServiceClient<unknown>, ExportPath>
  /** The files outside `node_modules` that were evaluated, relative to the root with `/`, sorted by code point. */
  readonly closure: readonly string[]
  readonly locations: Locations
}

/** Where a value is exported. */
export interface ExportPath {
  /** Relative to the project's root, with `/` and the extension. */
  readonly module: string
  /** E.g. `['ordersClient']` or `['clients', 'orders']`. */
  readonly path: readonly string[]
}

/** Some characters of a text, counted as JavaScript does. */
export interface TextPart {
  readonly start: number
  readonly end: number
}

/** Finds definitions in the design's source. */
export interface Locations {
  /** What stands for the source of a definition: the same object for as long as that source is the same. */
  sourceOf(definition: object): object | undefined
  /**
   * The place of a definition, or of what the path leads to inside it: `placeOf(toolset, 'tools', 'getOrder',
   * 'description')`. Where the source does not spell the path out, the nearest place around it.
   */
  locationOf(definition: object, ...path: readonly (string | number)[]): SourceLocation
  /**
   * The place of the value that the path leads to rather than of its name.
   *
   * @param part of a text: which of its characters, where the source writes the text as it is
   */
  valueLocationOf(definition: object, path: readonly (string | number)[], part?: TextPart): SourceLocation
}
