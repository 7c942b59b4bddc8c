/**
 * Image or audio of a result. Models receive it in addition to the JSON text of the result. In the text, a short description such as
 * `[image 1: image/png, 12 kB]` replaces the data.
 */
export interface ContentPart {
  /** Kind of the file, as its media type says. */
  readonly type: 'image' | 'audio'
  /** Media type without parameters, for example `image/png`. */
  readonly mediaType: string
  /** Content of the file as base64. */
  readonly data: string
}

/** Images and audio that a model accepts. For other images and audio, the model reads a short text. */
export interface MediaOptions {
  /** Media types that the model accepts. Default: `image/png`, `image/jpeg`, `image/gif` and `image/webp`. */
  readonly types?: readonly string[]
  /** Maximum size of one image or audio, in bytes. Default: 3,750,000, which is 5 MB as base64. */
  readonly maxBytes?: number
}
