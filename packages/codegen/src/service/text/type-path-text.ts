import { propertyNameText, stringText } from '../../text/literal.js'
import type { TypePath } from '../plan/plan.js'

/**
 * A type reached by a path from one that generated code can name. Each step first leaves out of a union what has no
 * such step.
 */
export function typePathText(base: string, path: TypePath): string {
  const type = path.reduce((text, step) => {
    if (step.kind === 'key')
      return `Extract<${text}, { readonly ${propertyNameText(step.name)}?: unknown }>[${stringText(step.name)}]`
    return step.of === 'array' ? `Extract<${text}, readonly unknown[]>[number]` : `Extract<${text}, object>[string]`
  }, base)
  return `NonNullable<${type}>`
}
