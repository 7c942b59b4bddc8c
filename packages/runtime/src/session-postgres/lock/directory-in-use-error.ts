/**
 * A directory is locked by another process, or by this one already.
 *
 * @example
 * if (isDirectoryInUseError(error)) console.error(`Stop process ${error.holder?.pid} first.`)
 */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError'
  /** The directory, without symbolic links. */
  readonly directory: string
  /** Who has it; absent where the lock file does not say. */
  readonly holder: { readonly pid: number; readonly host: string } | undefined

  constructor(message: string, directory: string, holder?: { readonly pid: number; readonly host: string }) {
    super(message)
    this.directory = directory
    this.holder = holder
  }
}

/** Whether something thrown is a {@link DirectoryInUseError}, also one of another copy of this package. */
export function isDirectoryInUseError(error: unknown): error is DirectoryInUseError {
  return error instanceof Error && error.name === 'DirectoryInUseError' && 'directory' in error
}
