import type { ModelDriver } from '../../contract/model-driver.js'
import type { BuilderParts } from './builder-parts.js'
import { plainCompiler } from './compiled-request.js'
import { requireFunction } from './require.js'

/**
 * The driver with the final message compiler, where it takes one, and the fields of its agent. It takes no other compiler
 * any more: who is given it asks as the agent does.
 *
 * @throws {TypeError} where a wrap gives back no compiler.
 */
export function finalDriver({ model, compiler = plainCompiler, compilerWraps }: BuilderParts): ModelDriver | undefined {
  if (model === undefined) return undefined
  const { driver, fields } = model
  const wrapped = compilerWraps.reduce(
    (inner, wrap) => requireFunction('wrapMessageCompiler: what the wrap gave back', wrap(inner)),
    compiler,
  )
  const compiled = driver.withMessageCompiler?.(wrapped) ?? driver
  const hasFields = Object.keys(fields).length > 0
  if (compiled === driver && !hasFields) return driver
  return {
    name: driver.name,
    ask: (request) => compiled.ask(hasFields ? { ...request, fields: { ...fields, ...request.fields } } : request),
  }
}
