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

// @ts-expect-error the env that the layers need is missing
;[asking] satisfies ServedModule
// @ts-expect-error only a project can supply the env, not the type
;[asking] satisfies ServedModule<HasApproval>
// @ts-expect-error the project does not supply the env
;({ toolsets: [asking] }) satisfies ServedModule<HasApproval>
// @ts-expect-error no tools
;({ runtime: new Runtime() }) satisfies ServedModule
// @ts-expect-error a runtime is not a module with tools
new Runtime() satisfies ServedModule
