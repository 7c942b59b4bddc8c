import type { AgentIr, DesignIr, OpenApiUseIr } from '../ir/types.js'
import { header } from './header.js'
import { type ImportingFile, importSet } from './import-set.js'
import { type RegistrationView, useRegistration } from './use-registration.js'

/** What `agent-openapi.hbs` shows. */
export interface AgentOpenApiView {
  readonly header: string
  readonly imports: string
  readonly registration: RegistrationView
}

/** The registration of a use that an HTTP API serves; its executor belongs to the toolset. */
export function agentOpenApiView(
  parts: { readonly agent: AgentIr; readonly use: OpenApiUseIr; readonly design: DesignIr },
  file: ImportingFile,
): AgentOpenApiView {
  const imports = importSet(file)
  return {
    registration: useRegistration(parts, imports),
    header: header(parts.use.place),
    imports: imports.text(),
  }
}
