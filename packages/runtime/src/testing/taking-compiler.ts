import { compiledRequest } from '../agent/builder/compiled-request.js'
import type { ModelDriver } from '../contract/model-driver.js'

/** A driver that takes a message compiler: it asks with the messages as the compiler makes them. */
export function takingCompiler({ name, ask }: Pick<ModelDriver, 'name' | 'ask'>): ModelDriver {
  return {
    name,
    ask,
    withMessageCompiler: (compiler) => ({
      name,
      ask: async (request) => ask(await compiledRequest(request, compiler)),
    }),
  }
}
