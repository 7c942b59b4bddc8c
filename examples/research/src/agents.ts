import { type BoundAgent, type HasApproval, Runtime, type RuntimeOptions, ToolFailure } from '@toolgen/runtime'
import { type ModelDriver, useContext, useGuards } from '@toolgen/runtime/agents'
import { vendorErrors } from '@toolgen/runtime/errors'
import { newResearchAgent, registerResearch } from '../gen/agents/research/index.js'
import { newSupportAgent, registerSupport } from '../gen/agents/support/index.js'
import { investigation } from '../gen/toolsets/investigation/index.js'
import type { ArchiveClient } from './archive-client.js'
import type { OrdersClient } from './orders-client.js'
import { ShopError } from './shop-error.js'

/** The services of the shop. */
export interface Shop {
  readonly orders: OrdersClient
  readonly archive: ArchiveClient
}

/**
 * Registers the support agent, with the research agent as one of its tools. The type of the support agent declares that its runs need an approver,
 * although only a tool of the research agent asks for an approval.
 *
 * @param driver model of both agents
 */
export function openAgents(
  driver: ModelDriver,
  { orders, archive }: Shop,
  options: RuntimeOptions = {},
): BoundAgent<HasApproval> {
  const runtime = new Runtime({ errorRules: vendorErrors, ...options, classify })
  // The research agent answers with the result schema of the tool that it serves, so the answer is the tool result.
  const finding = { name: 'finding', schema: investigation.investigate.result.schema }
  const research = registerResearch(runtime, {
    agent: newResearchAgent(driver)
      .with(useGuards({ maxSteps: 10, repetition: 3 }))
      .with(useContext({ responseFormat: finding }))
      .build(),
    toolsets: { archive: { client: archive } },
  })
  return registerSupport(runtime, {
    agent: newSupportAgent(driver)
      .with(useGuards({ repetition: 3 }))
      .with(useContext({ systemPrompt: HOUSE_STYLE }))
      .build(),
    toolsets: { orders: { client: orders }, investigation: research },
  })
}

/** The style of the answers is not part of the design. */
const HOUSE_STYLE =
  'You answer customers of a lamp shop in two or three sentences. Look up their order first. Have every fault investigated before you say anything about it, and send the part where one has to be replaced.'

/** Customers may read the messages of the shop, so models may read them too. All other errors stay hidden. */
function classify(error: unknown): ToolFailure | undefined {
  return error instanceof ShopError ? new ToolFailure(error.message, { action: 'replan', cause: error }) : undefined
}
