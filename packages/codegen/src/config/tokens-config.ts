import type { Vendor } from '../vendor-forms/vendor-form.js'

/** How text becomes tokens: `o200k_base` for GPT-4o and later, `cl100k_base` for GPT-4 and GPT-3.5. */
export type Encoding = 'o200k_base' | 'cl100k_base'

/** The encodings that can be counted in, the default first. */
export const encodings: readonly Encoding[] = ['o200k_base', 'cl100k_base']

/** What `toolgen.config.ts` says of `toolgen tokens`. */
export interface TokensConfig {
  /** Default: `o200k_base`. */
  readonly encoding?: Encoding
  /** In whose form tools are counted. Default: `openai`. */
  readonly as?: Vendor
  /** How many tokens the definition of a tool may have. Default: any number. */
  readonly perTool?: number
  /** How many tokens the definitions of all tools of an agent may have. Default: any number. */
  readonly perAgent?: number
}
