/**
 * Web interface for the tools of a project: `@toolgen/studio`.
 *
 * @module
 */
export type * from './api.js'
export type { StudioTools, ToolSpecs } from './catalogue.js'
export { type DevProject, type DevServer, serveStudio } from './serve.js'
export { Studio, type StudioHandlerOptions, type StudioOptions } from './studio.js'
