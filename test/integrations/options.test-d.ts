import type { RunContext } from '@openai/agents'
import { type ToolSet, tool } from 'ai'
import { createAgent } from 'langchain'
import { aiSdkTools } from '../../packages/runtime/src/ai-sdk.js'
import {
  approval,
  type BoundAgent,
  type BoundToolset,
  type HasApproval,
  type HasLogger,
  runConfig,
} from '../../packages/runtime/src/index.js'
import { langChainTools } from '../../packages/runtime/src/langchain.js'
import { openAiAgentsTools } from '../../packages/runtime/src/openai-agents.js'
import type { Session } from '../../packages/runtime/src/sessions.js'
import { find, mine } from '../conformance/shop.js'
import { investigation } from '../goldens/agents/gen/toolsets/investigation/index.js'

declare const plain: BoundAgent
declare const asking: BoundToolset<HasApproval>
declare const logging: BoundAgent<HasApproval & HasLogger>
declare const session: Session
declare const logged: Session<HasLogger>
declare const env: HasApproval & HasLogger
declare const logger: HasLogger['logger']

// The frameworks accept the tools together with their own tools.
export const tools: ToolSet = { ...aiSdkTools(plain), weather: tool({ inputSchema: mine as never }) }
export const agent = createAgent({ model: 'm', tools: langChainTools(plain) })

// Options are required only if a tool or layer needs them.
aiSdkTools(plain, { only: [find] })
aiSdkTools(plain, { only: [find, mine], context: { sessionId: 's' } })
openAiAgentsTools(plain, { only: [mine], context: ({ context }: RunContext<string>) => ({ sessionId: context }) })
langChainTools(plain, { only: [mine], context: async () => ({ sessionId: 's', labels: { tenant: 't' } }) })
aiSdkTools(session, { only: [mine] })
aiSdkTools(asking, { context: { env } })
aiSdkTools(logging, { context: () => ({ env }) })
langChainTools(logged, { only: [mine], context: { env } })
aiSdkTools(logging, { context: { env, config: runConfig().layer(approval()) } })

// @ts-expect-error the tool needs a server-owned field of the session
aiSdkTools(plain, { only: [find, mine] })
// @ts-expect-error the session is missing
openAiAgentsTools(plain, { only: [mine], context: {} })
// @ts-expect-error the function does not return the session
langChainTools(plain, { only: [mine], context: () => ({}) })
// @ts-expect-error layers need an env
aiSdkTools(asking)
// @ts-expect-error the layers need another env
aiSdkTools(logging, { context: { env: { logger } } })
// @ts-expect-error a session with layers needs an env too
langChainTools(logged)
// @ts-expect-error the layers of the run need an env that the agent does not need
aiSdkTools(plain, { context: { config: runConfig().layer(approval()) } })

// If the framework asks for approval, no approver is needed.
aiSdkTools(asking, { approvals: 'framework' })
aiSdkTools(logging, { approvals: 'framework', context: { env: { logger } } })
openAiAgentsTools(asking, { approvals: 'framework', only: [mine], context: { sessionId: 's' } })
// @ts-expect-error the logger is missing
aiSdkTools(logging, { approvals: 'framework' })
// @ts-expect-error LangChain's core cannot ask for an approval
langChainTools(asking, { approvals: 'framework' })

// A tool of the nested agent needs a label, which the context must supply.
// @ts-expect-error a tool of the nested agent gets a field from `labels.tenant`
aiSdkTools(logging, { only: [investigation.investigate], context: { env } })
aiSdkTools(logging, { only: [investigation.investigate], context: { env, labels: { tenant: 'acme' } } })
