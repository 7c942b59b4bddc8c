import { Runtime } from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
import { aiSdkDriver } from '@toolgen/runtime/ai-sdk'
import { fakeModel } from '../fake-model.mjs'
import { compiledStock } from '../generated-stock.mjs'
import { scripted } from '../script.mjs'
import { texts } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

const { registerCounter } = await compiledStock()

export const name = `toolgen ${packageVersion('@toolgen/runtime')} with aiSdkDriver`

/** Returns a function that makes one run. */
export function prepare({ service, kind }) {
  const client = { countStock: async (sku) => service.stockLevel(sku) }
  const model = fakeModel(scripted(kind), ({ value }) => JSON.parse(value))
  const planner = modelPlanner(aiSdkDriver(model))
  const agent = registerCounter(new Runtime(), { toolsets: { stock: { client } }, planner })
  return async () => {
    model.restart()
    return agent.run(texts.question)
  }
}

export { messagesOf, resultsOf, textOf } from './toolgen.mjs'
