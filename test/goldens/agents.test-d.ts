import { type BoundAgent, type HasClock, Runtime, type ToolLayer } from '@toolgen/runtime'
import type { AgentBuilder, HasApproval, ModelDriver, StandardCheck, ToolExecutor } from '@toolgen/runtime/codegen/v1'
import { registerClerk } from './agents/gen/agents/clerk/index.js'
import {
  newResearchAgent,
  newResearchInvestigationToolsetRegistration,
  registerResearch,
} from './agents/gen/agents/research/index.js'
import { newSupportAgent, registerSupport } from './agents/gen/agents/support/index.js'
import { newInvestigateCall } from './agents/gen/toolsets/investigation/index.js'
import { newTicketStateCall } from './agents/gen/toolsets/tickets/index.js'
import type { ArchiveClient } from './agents/src/archive-client.js'

declare const client: ArchiveClient
declare const check: StandardCheck
declare const driver: ModelDriver
declare const executor: ToolExecutor
declare const clocked: ToolLayer<HasClock>
declare const approving: HasApproval
declare const timing: HasClock
const runtime = new Runtime()

// Agents that use each other need their types written once, and one of them behind a function.
const research: BoundAgent<HasApproval> = registerResearch(runtime, {
  toolsets: { archive: { client }, desk: () => support },
})
const support: BoundAgent<HasApproval> = registerSupport(runtime, { toolsets: { investigation: research } })

// What the agent's own tools need is needed by who uses it.
// @ts-expect-error somebody must be there to ask
support.run('Hello')
support.run('Hello', { env: approving })

// defect 3f: what the tools of the inner agent are filled from, the caller of the outer tool must give.
const investigate = newInvestigateCall({ topic: 'x' })
// @ts-expect-error a tool of `research` is filled from `labels.tenant`
support.execute(investigate, { env: approving })
// @ts-expect-error labels without the one that is needed
support.execute(investigate, { env: approving, labels: { plan: 'free' } })
support.execute(investigate, { env: approving, labels: { tenant: 'acme', plan: 'free' } })
// `support` serves tickets, and uses `research`, whose tool is filled: two agents down.
const ticket = newTicketStateCall({ ticketId: 'T-1' }, { as: 'desk' })
// @ts-expect-error a tool two agents down is filled from `labels.tenant`
research.execute(ticket, { env: approving })
research.execute(ticket, { env: approving, labels: { tenant: 'acme' } })
// The same without an agent that uses the toolset: the agent is a value.
const registration = newResearchInvestigationToolsetRegistration(research, { checks: { verify: check } })
const tools = runtime.registerToolset(registration)
// @ts-expect-error a tool of `research` is filled from `labels.tenant`
tools.execute(investigate, { env: approving })
tools.execute(investigate, { env: approving, labels: { tenant: 'acme' } })

registerSupport(runtime, {
  toolsets: {
    investigation: {
      agent: research,
      tools: {
        summarize: { text: 'In one word.' },
        investigate: { aggregate: () => ({ findings: [], certain: true }) },
      },
      layers: (tools) => tools,
    },
  },
})

// What the agent needs and what a layer around it needs add up.
const timed = registerSupport(runtime, {
  toolsets: { investigation: { agent: research, layers: (tools) => tools.layer(clocked) } },
})
// @ts-expect-error the layer needs a clock
timed.run('Hello', { env: approving })
timed.run('Hello', { env: { ...approving, ...timing } })

// @ts-expect-error every toolset must be served
registerSupport(runtime, { toolsets: {} })

// @ts-expect-error the agent itself, never its name
registerSupport(runtime, { toolsets: { investigation: 'research' } })

registerSupport(runtime, {
  // @ts-expect-error the result of the tool is an object
  toolsets: { investigation: { agent: research, tools: { investigate: { aggregate: () => 'x' } } } },
})

registerClerk(runtime, { toolsets: { investigation: { agent: research, checks: { verify: check } } } })

// @ts-expect-error a tool of this toolset requires a check
registerClerk(runtime, { toolsets: { investigation: { agent: research } } })

// @ts-expect-error the agent alone gives no check
registerClerk(runtime, { toolsets: { investigation: research } })

// @ts-expect-error nor does an executor
registerClerk(runtime, { toolsets: { investigation: { executor } } })
registerClerk(runtime, { toolsets: { investigation: { executor, checks: { verify: check } } } })

newResearchInvestigationToolsetRegistration(research, { checks: { verify: check } })

// @ts-expect-error a tool of this toolset requires a check
newResearchInvestigationToolsetRegistration(research)

// An agent that was built needs what its layers need.
const built = registerResearch(runtime, {
  agent: newResearchAgent(driver).layer(clocked).build(),
  toolsets: { archive: { client }, desk: support },
})
// @ts-expect-error the layer of the agent needs a clock
built.run('Hello', { env: approving })
built.run('Hello', { env: { ...approving, ...timing } })

export const builders: readonly AgentBuilder[] = [newSupportAgent(), newSupportAgent(driver)]
