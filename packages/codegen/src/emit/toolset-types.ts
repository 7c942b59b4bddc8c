import type { Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape/shape.js'
import { declarationText } from '../schema/shape/type-text.js'
import { byCodePoint } from '../text/by-code-point.js'
import { docComment } from '../text/doc-comment.js'
import { type Definitions, type Form, readDefinitions, referencesOf } from './definitions.js'
import { header } from './header.js'
import { type ImportingFile, type ImportSet, importSet } from './import-set.js'
import { payloadFromArguments } from './payload-type.js'

/** A documented declaration. */
interface Declaration {
  readonly comment: string
  readonly text: string
}

/** What `toolset-types.hbs` shows. */
export interface ToolsetTypesView {
  readonly header: string
  readonly imports: string
  readonly declarations: readonly Declaration[]
}

/** The types of a toolset: of each tool in the order of the design, then the shared definitions that they use. */
export function toolsetTypesView(toolset: ToolsetIr, file: ImportingFile): ToolsetTypesView {
  const imports = importSet(file)
  const definitions = readDefinitions(toolset)
  const used = new Map<string, UsedDefinition>()
  const use = (shape: Shape, form: Form): void => collectUsed(shape, form, definitions, used)
  const declare = (name: string, comment: string, shape: Shape, form: Form): Declaration => {
    use(shape, form)
    const nameOf = (definition: string): string => definitions.nameOf(definition, form)
    return { comment: docComment(comment, 0), text: declarationText(name, shape, { form, nameOf }) }
  }
  const ofTools = toolset.tools.flatMap((tool) => {
    use(shapeOf(tool.payload, toolset.defs), 'read')
    return toolDeclarations(tool, toolset.defs, definitions, declare, imports)
  })
  const ofDefinitions = [...used]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([name, { definition, shape, form }]) =>
      declare(name, definitionComment(definition, shape, form, name), shape, form),
    )
  return { header: header(toolset.place), declarations: [...ofTools, ...ofDefinitions], imports: imports.text() }
}

type Declare = (name: string, comment: string, shape: Shape, form: Form) => Declaration

function toolDeclarations(
  tool: ToolIr,
  defs: Readonly<Record<string, Schema>>,
  definitions: Definitions,
  declare: Declare,
  imports: ImportSet,
): readonly Declaration[] {
  const { names } = tool
  const sent = shapeOf(tool.arguments, defs)
  const payload = shapeOf(tool.payload, defs)
  const comment = `What an executor of \`${tool.id}\` receives.`
  const derived = payloadFromArguments(tool, sent, payload, definitions, imports)
  return [
    declare(names.arguments, argumentsComment(tool), sent, 'sent'),
    derived === undefined
      ? declare(names.payload, comment, payload, 'read')
      : { comment: docComment(comment, 0), text: derived },
    declare(names.result, `Result of \`${tool.id}\`.`, shapeOf(tool.result, defs), 'sent'),
    ...(tool.updates === undefined
      ? []
      : [declare(names.update, `One update of \`${tool.id}\`.`, shapeOf(tool.updates, defs), 'sent')]),
  ]
}

/** Says what the tool does where that fits on the line; the call builder says it in any case. */
function argumentsComment(tool: ToolIr): string {
  const short = `Arguments of \`${tool.id}\``
  const long = `${short}: ${tool.description.trim()}`
  return docComment(long, 0).includes('\n') ? `${short}.` : long
}

interface UsedDefinition {
  readonly definition: string
  readonly shape: Shape
  readonly form: Form
}

/** Adds the definitions that a shape needs in a form, also through others. */
function collectUsed(shape: Shape, form: Form, definitions: Definitions, used: Map<string, UsedDefinition>): void {
  for (const definition of referencesOf(shape)) {
    const inner = definitions.shapes.get(definition)
    const name = definitions.nameOf(definition, form)
    if (inner === undefined || used.has(name)) continue
    used.set(name, { definition, shape: inner, form: name === definitions.nameOf(definition, 'sent') ? 'sent' : form })
    collectUsed(inner, form, definitions, used)
  }
}

function definitionComment(definition: string, shape: Shape, form: Form, name: string): string {
  const { description } = shape.schema
  if (form === 'read') return `\`${name.replace(/Read_?$/, '')}\` as an executor receives it.`
  return typeof description === 'string' && description.trim() !== ''
    ? description
    : `The shared definition \`${definition}\`.`
}
