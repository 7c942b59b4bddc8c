import type { BoundAgent, HasApproval, ToolsetRegistration } from '../../packages/runtime/src/index.js'
import { Runtime } from '../../packages/runtime/src/index.js'
import type { ServedModule } from '../../packages/runtime/src/mcp.js'

declare const plain: ToolsetRegistration
declare const asking: ToolsetRegistration<HasApproval>
declare const agent: BoundAgent
declare const env: HasApproval

plain satisfies ServedModule
agent satisfies ServedModule
;[plain, agent] satisfies ServedModule
;(() => [plain]) satisfies ServedModule
;(async () => agent) satisfies ServedModule
;({ runtime: new Runtime(), toolsets: [plain], close: async () => {} }) satisfies ServedModule
;({ toolsets: [plain], context: ({ tool }) => ({ labels: { tool } }) }) satisfies ServedModule
;({ toolsets: [plain, asking], context: () => ({ env }) }) satisfies ServedModule<HasApproval>

// @ts-expect-error layers need an env, and nobody gives one
;[asking] satisfies ServedModule
// @ts-expect-error the type says so, but only a project can give it
;[asking] satisfies ServedModule<HasApproval>
// @ts-expect-error a project without it
;({ toolsets: [asking] }) satisfies ServedModule<HasApproval>
// @ts-expect-error no tools
;({ runtime: new Runtime() }) satisfies ServedModule
// @ts-expect-error a runtime holds no tools
new Runtime() satisfies ServedModule
