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

// What is made is what the framework takes, beside its own tools.
export const tools: ToolSet = { ...aiSdkTools(plain), weather: tool({ inputSchema: mine as never }) }
export const agent = createAgent({ model: 'm', tools: langChainTools(plain) })

// Options are required exactly where something is needed.
aiSdkTools(plain, { only: [find] })
aiSdkTools(plain, { only: [find, mine], context: { sessionId: 's' } })
openAiAgentsTools(plain, { only: [mine], context: ({ context }: RunContext<string>) => ({ sessionId: context }) })
langChainTools(plain, { only: [mine], context: async () => ({ sessionId: 's', labels: { tenant: 't' } }) })
aiSdkTools(session, { only: [mine] })
aiSdkTools(asking, { context: { env } })
aiSdkTools(logging, { context: () => ({ env }) })
langChainTools(logged, { only: [mine], context: { env } })
aiSdkTools(logging, { context: { env, config: runConfig().layer(approval()) } })

// @ts-expect-error a server-owned field is filled from the session
aiSdkTools(plain, { only: [find, mine] })
// @ts-expect-error it is not given
openAiAgentsTools(plain, { only: [mine], context: {} })
// @ts-expect-error nor by this function
langChainTools(plain, { only: [mine], context: () => ({}) })
// @ts-expect-error layers need an env
aiSdkTools(asking)
// @ts-expect-error layers need another
aiSdkTools(logging, { context: { env: { logger } } })
// @ts-expect-error a session with such layers too
langChainTools(logged)
// @ts-expect-error the layers of the run need what the agent's do not
aiSdkTools(plain, { context: { config: runConfig().layer(approval()) } })

// Where the framework asks for approval, nobody else has to.
aiSdkTools(asking, { approvals: 'framework' })
aiSdkTools(logging, { approvals: 'framework', context: { env: { logger } } })
openAiAgentsTools(asking, { approvals: 'framework', only: [mine], context: { sessionId: 's' } })
// @ts-expect-error it does not log
aiSdkTools(logging, { approvals: 'framework' })
// @ts-expect-error LangChain's core asks nobody
langChainTools(asking, { approvals: 'framework' })

// The tools of an inner agent need a label: descriptors require it of whoever offers the outer tool.
// @ts-expect-error a tool of the inner agent is filled from `labels.tenant`
aiSdkTools(logging, { only: [investigation.investigate], context: { env } })
aiSdkTools(logging, { only: [investigation.investigate], context: { env, labels: { tenant: 'acme' } } })
