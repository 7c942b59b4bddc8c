import type { JsonObject } from './json.js'

/**
 * Image, audio or other file of a result, text of a resource, or link to a resource. Models receive this part in
 * addition to the JSON text of the result. In the text, a short description such as `[image 1: image/png, 12 kB]`
 * replaces the data of files.
 *
 * @example
 * const links = outcome.content?.filter((part) => part.type === 'resource_link')
 */
export type ContentPart = (FileContent & Partial<ResourceFacts>) | ((ResourceText | ResourceLink) & ResourceFacts)

interface FileContent {
  /** Kind of the part. An `image`, `audio` or other `file` has `data`, a `text` has `text`, and a `resource_link` has a `name`. */
  readonly type: 'image' | 'audio' | 'file'
  /** Media type without parameters, for example `image/png`. */
  readonly mediaType: string
  /** Content of the file as base64. */
  readonly data: string
}

interface ResourceText {
  readonly type: 'text'
  /** Text of the resource. */
  readonly text: string
  /** Media type of the text. Absent if it is unknown. */
  readonly mediaType?: string
}

interface ResourceLink {
  readonly type: 'resource_link'
  /** Name of the resource. */
  readonly name: string
  /** Title of the resource for people. Absent if the server declares no title. */
  readonly title?: string
  /** Description of the resource. Absent if the server declares no description. */
  readonly description?: string
  /** Media type of the resource. Absent if it is unknown. */
  readonly mediaType?: string
  /** Size of the resource in bytes. Absent if it is unknown. */
  readonly size?: number
}

interface ResourceFacts {
  /** URI of the resource, for example `file:///notes.txt`. Absent for files that are not resources. */
  readonly uri: string
  /** Annotations of the MCP server: `audience`, `priority` and `lastModified`. Absent if the server sends none. */
  readonly annotations?: JsonObject
  /**
   * `true` if the `json` of the outcome contains the resource too, so that models read it there. Set by the runtime.
   */
  readonly inResult?: true
}

/** Files of results that a model accepts. For other files, the model reads a short text. */
export interface MediaOptions {
  /**
   * Media types that the model accepts, for example `application/pdf` or `video/*`. Default: `image/png`, `image/jpeg`, `image/gif` and
   * `image/webp`; for models of Anthropic also `application/pdf`.
   */
  readonly types?: readonly string[]
  /** Maximum size of one file, in bytes. Default: 3,750,000, which is 5 MB as base64. */
  readonly maxBytes?: number
}
