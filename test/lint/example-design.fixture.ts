import { type Agent, defineAgent, defineTool, defineToolset, exportToolset, fromMcp, type Toolset } from '@toolgen/dsl'
import { z } from 'zod'
import { compileDesign } from '../../packages/codegen/src/ir/compile-design.js'
import { loaded } from '../../packages/codegen/src/ir/design.fixture.js'
import type { DesignIr } from '../../packages/codegen/src/ir/types.js'
import { type DesignLintOptions, type LintReport, lintDesign } from '../../packages/codegen/src/lint/lint-design.js'
import type { LoadedDesign } from '../../packages/codegen/src/load/load-design.js'
import { forms } from './vendor-forms.fixture.js'

const words = { defineAgent, defineTool, defineToolset, exportToolset, fromMcp, z }

/** Returns the definitions of a design module. If the module has only tools, they are in a toolset `orders`. */
function definitionsIn(text: string): readonly (Toolset | Agent)[] {
  const module = /^export /.test(text)
    ? text
    : `export const orders = defineToolset('orders', { description: 'Orders of customers.', tools: {\n${text}\n} })`
  const names = [...module.matchAll(/^export const (\w+)/gm)].map(([, name]) => name)
  const body = `${module.replace(/^export /gm, '')}\nreturn [${names.join(', ')}]`
  const made: unknown = Reflect.apply(new Function(...Object.keys(words), body), undefined, Object.values(words))
  if (!Array.isArray(made)) throw new TypeError('no module')
  return made
}

/** Returns the IR of a design module. */
export function compiledText(text: string): DesignIr {
  return compiled(loadedText(text))
}

/** Returns the lint report of a design module. */
export function lintText(text: string, choice: Partial<DesignLintOptions> = {}): LintReport {
  const design = loadedText(text)
  return lintDesign(compiled(design), design, { root: '', levels: {}, forms, ...choice })
}

function loadedText(text: string): LoadedDesign {
  const definitions = definitionsIn(text)
  return loaded(
    definitions.filter((value) => value['~toolgen'] === 'toolset'),
    definitions.filter((value) => value['~toolgen'] === 'agent'),
  )
}

function compiled(design: LoadedDesign): DesignIr {
  const { value, diagnostics } = compileDesign(design)
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return value
}
