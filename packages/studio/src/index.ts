/**
 * `@toolgen/studio`: web interface that shows the tools of a project, calls tools and runs agents.
 *
 * @module
 */
export type * from './api.js'
export type { StudioTools, ToolSpecs } from './catalogue.js'
export { type DevProject, type DevServer, serveStudio } from './serve.js'
export { Studio, type StudioHandlerOptions, type StudioOptions } from './studio.js'
