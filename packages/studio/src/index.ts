/** Web interface for the tools of a project: `@toolgen/studio`.
 *
 * @module
 */
export type * from './api.js'
