import type { BoundToolset, HasApproval, ToolsetRegistration } from '../../packages/runtime/src/index.js'
import { Runtime } from '../../packages/runtime/src/index.js'
import { bearerAuth, type ServedModule, serveMcp } from '../../packages/runtime/src/mcp.js'

declare const plain: ToolsetRegistration
declare const asking: ToolsetRegistration<HasApproval>
declare const bound: BoundToolset<HasApproval>
declare const env: HasApproval
const runtime = new Runtime()

await serveMcp(runtime, { toolsets: [plain] })
await serveMcp(runtime, { toolsets: [plain], context: () => ({ sessionId: 's' }) })
await serveMcp(runtime, { toolsets: [plain, asking, bound], context: () => ({ env }) })

// @ts-expect-error the env that the layers need is missing
await serveMcp(runtime, { toolsets: [asking] })
// @ts-expect-error the env that the layers of the bound toolset need is missing
await serveMcp(runtime, { toolsets: [bound] })
// @ts-expect-error the layers need another env
await serveMcp(runtime, { toolsets: [asking], context: () => ({ env: {} }) })

const issuer = 'https://login.example'
await serveMcp(runtime, {
  toolsets: [plain],
  context: ({ claims }) => ({ sessionId: claims.sub }),
  transport: { port: 0, auth: bearerAuth({ issuer }) },
})
await serveMcp(runtime, {
  toolsets: [asking],
  context: ({ claims }) => ({ env, sessionId: claims.tenant.toFixed() }),
  transport: { port: 0, auth: bearerAuth({ issuer, verify: () => ({ sub: 'ada', tenant: 7 }) }) },
})
// @ts-expect-error without `auth`, there are no claims
await serveMcp(runtime, { toolsets: [plain], context: ({ claims }) => ({ sessionId: claims.sub }) })
// @ts-expect-error claims need a subject
bearerAuth({ issuer, verify: () => ({ tenant: 7 }) })

export const served: ServedModule = {
  toolsets: [plain],
  context: ({ claims }) => ({ sessionId: claims?.sub ?? 'stdio' }),
}
