import type { JsonObject } from './json.js'

/**
 * Content of a tool result in addition to its JSON: a file, the text of a resource, or a link to a resource. Models
 * receive this content together with the JSON text of the result. In the JSON text, a short description such as `[image
 * 1: image/png, 12 kB]` replaces the data of each file.
 *
 * @example
 * const links = outcome.content?.filter((part) => part.type === 'resource_link')
 */
export type ContentPart = (FileContent & Partial<ResourceFacts>) | ((ResourceText | ResourceLink) & ResourceFacts)

interface FileContent {
  readonly type: 'image' | 'audio' | 'file'
  /** Media type without parameters, for example `image/png`. */
  readonly mediaType: string
  /** Content of the file as base64. */
  readonly data: string
}

interface ResourceText {
  readonly type: 'text'
  readonly text: string
  readonly mediaType?: string
}

interface ResourceLink {
  readonly type: 'resource_link'
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mediaType?: string
  /** Size of the resource in bytes. Absent if unknown. */
  readonly size?: number
}

interface ResourceFacts {
  /** URI of the resource, for example `file:///notes.txt`. A file that is not a resource has no `uri`. */
  readonly uri: string
  /** Annotations that the MCP server sends for the resource: `audience`, `priority` and `lastModified`. Absent if the server sends no annotations. */
  readonly annotations?: JsonObject
  /** `true` if the property `json` of the outcome also contains the resource. In this case, the runtime sends the resource to the model only once. */
  readonly inResult?: true
}

/**
 * Media types and maximum size of the result files that a model accepts. The model receives a short text instead of a
 * file that has another type or a larger size.
 */
export interface MediaOptions {
  /**
   * Media types that the model accepts, for example `application/pdf` or `video/*`. Default: `image/png`, `image/jpeg`, `image/gif` and `image/webp`.
   * The default for models of Anthropic also contains `application/pdf`.
   */
  readonly types?: readonly string[]
  /** Maximum size of one file, in bytes. Default: 3,750,000, which is 5 MB as base64. */
  readonly maxBytes?: number
}
