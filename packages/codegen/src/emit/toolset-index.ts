import type { ToolsetIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { accessText, keyText, lineWidth, propertyNameText, stringText } from '../text/literal.js'
import { header } from './header.js'
import { type ImportingFile, importSet, runtimeModule } from './import-set.js'
import { decodedType, needsType } from './tool-types.js'

/** What `toolset-index.hbs` shows. */
export interface ToolsetIndexView {
  readonly header: string
  readonly imports: string
  readonly extension: string
  readonly comment: string
  readonly descriptor: string
  readonly tools: readonly {
    readonly property: string
    readonly type: string
    readonly key: string
    readonly spec: string
    readonly payload: string
    readonly result: string
    readonly call: string
    /** How the tool is reached: `orders.getOrder`. */
    readonly access: string
  }[]
  readonly toolset: {
    readonly comment: string
    readonly type: string
    readonly constant: string
    readonly name: string
    readonly namespace: string
    readonly description: string
  }
}

/** The entry of a toolset's folder: everything of its other files, and its descriptors. */
export function toolsetIndexView(toolset: ToolsetIr, file: ImportingFile): ToolsetIndexView {
  const imports = importSet(file)
  const { names } = toolset
  const type = imports.type(runtimeModule, 'ToolsetDescriptor')
  const tools = toolset.tools.map((tool) => {
    const descriptor = imports.type(runtimeModule, 'ToolDescriptor')
    const of = (kind: string): string => `toolsets/${names.folder}/${kind}`
    const types = imports.types({ generated: of('types') }, 'types')
    const specs = imports.values({ generated: of('specs') }, 'specs')
    const codecs = imports.values({ generated: of('codecs') }, 'codecs')
    const calls = imports.values({ generated: of('calls') }, 'calls')
    const { names: own } = tool
    const property = propertyNameText(tool.name)
    const parameters = [
      `${types}.${own.arguments}`,
      decodedType(tool, types, imports),
      `${types}.${own.result}`,
      needsType(tool),
    ]
    return {
      property,
      type: genericType(descriptor, parameters, property.length + 13),
      key: keyText(tool.name),
      spec: `${specs}.${own.spec}`,
      payload: `${codecs}.${own.payloadCodec}`,
      result: `${codecs}.${own.resultCodec}`,
      call: `${calls}.${own.call}`,
      access: `${names.descriptor}${accessText(tool.name)}`,
    }
  })
  return {
    header: header(toolset.place),
    imports: imports.text(),
    extension: file.extension,
    comment: docComment(toolset.description, 0),
    descriptor: names.descriptor,
    tools,
    toolset: {
      comment: docComment(`The toolset \`${toolset.name}\` as the runtime knows it.`, 0),
      type,
      constant: names.toolset,
      name: stringText(toolset.name),
      namespace: stringText(toolset.namespace),
      description: stringText(toolset.description),
    },
  }
}

/** A type with its arguments: on one line where it fits behind `used` columns, else one argument per line. */
function genericType(name: string, parameters: readonly string[], used: number): string {
  const flat = `${name}<${parameters.join(', ')}>`
  if (used + flat.length <= lineWidth) return flat
  return `${name}<\n${parameters.map((parameter) => `    ${parameter}`).join(',\n')}\n  >`
}
