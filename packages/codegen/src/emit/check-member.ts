import type { ToolIr } from '../ir/types.js'
import { propertyNameText } from '../text/literal.js'
import { type ImportSet, runtimeModule } from './import-set.js'

/** The property by which an application passes a payload's schema again. */
export function checkMember(tool: ToolIr, imports: ImportSet): string {
  return `readonly ${propertyNameText(tool.name)}: ${imports.type(runtimeModule, 'StandardCheck')}`
}
