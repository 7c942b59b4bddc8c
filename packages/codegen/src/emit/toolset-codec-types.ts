import type { ToolsetIr } from '../ir/types.js'
import { lineWidth } from '../text/literal.js'
import { type CodecType, codecParts, codecType } from './codec-parts.js'
import { header } from './header.js'
import { type ImportingFile, importSet } from './import-set.js'

/** What `toolset-codec-types.hbs` shows. */
export interface ToolsetCodecTypesView {
  readonly header: string
  readonly imports: string
  /** The codecs, each a whole declaration. */
  readonly declarations: readonly string[]
}

/** The types of a toolset's codecs, for codecs that are written in JavaScript. */
export function toolsetCodecTypesView(toolset: ToolsetIr, file: ImportingFile): ToolsetCodecTypesView {
  const imports = importSet(file)
  const declarations = codecParts(toolset).map((part) => declaration(part.name, codecType(part, toolset, imports)))
  return { header: header(toolset.place), imports: imports.text(), declarations }
}

/** A declaration on one line where it fits, else with one parameter of its type per line. */
function declaration(name: string, { codec, parameters }: CodecType): string {
  const head = `export declare const ${name}: ${codec}<`
  const flat = `${head}${parameters.join(', ')}>`
  if (flat.length <= lineWidth) return flat
  return `${head}\n${parameters.map((parameter) => `  ${parameter}`).join(',\n')}\n>`
}
