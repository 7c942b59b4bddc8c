// Written by `toolgen import mcp files`, 6fdc3bfdacf9ef86. Do not edit; import again, and select and rename with `fromMcp`.

import { defineTool, defineToolset } from '@toolgen/dsl'

/** Tools of the MCP server secure-filesystem-server. */
export const files = defineToolset('files', {
  description: 'Tools of the MCP server secure-filesystem-server.',
  mcp: {
    captured: true,
    server: { name: 'secure-filesystem-server', version: '0.2.0' },
    names: {
      readFile: 'read_file',
      readTextFile: 'read_text_file',
      readMediaFile: 'read_media_file',
      readMultipleFiles: 'read_multiple_files',
      writeFile: 'write_file',
      editFile: 'edit_file',
      createDirectory: 'create_directory',
      listDirectory: 'list_directory',
      listDirectoryWithSizes: 'list_directory_with_sizes',
      directoryTree: 'directory_tree',
      moveFile: 'move_file',
      searchFiles: 'search_files',
      getFileInfo: 'get_file_info',
      listAllowedDirectories: 'list_allowed_directories',
    },
  },
  tools: {
    readFile: defineTool({
      description: 'Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.',
      title: 'Read File (Deprecated)',
      toolName: 'files_read_file',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
          tail: { description: 'If provided, returns only the last N lines of the file', type: 'number' },
          head: { description: 'If provided, returns only the first N lines of the file', type: 'number' },
        },
        required: ['path'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    readTextFile: defineTool({
      description: "Read the complete contents of a file from the file system as text. Handles various text encodings and provides detailed error messages if the file cannot be read. Use this tool when you need to examine the contents of a single file. Use the 'head' parameter to read only the first N lines of a file, or the 'tail' parameter to read only the last N lines of a file. Operates on the file as text regardless of extension. Only works within allowed directories.",
      title: 'Read Text File',
      toolName: 'files_read_text_file',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
          tail: { description: 'If provided, returns only the last N lines of the file', type: 'number' },
          head: { description: 'If provided, returns only the first N lines of the file', type: 'number' },
        },
        required: ['path'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    readMediaFile: defineTool({
      description: 'Read a file and return it as a base64-encoded content block with its MIME type. Image and audio files are returned as image/audio content; any other file type is returned as an embedded resource. Only works within allowed directories.',
      title: 'Read Media File',
      toolName: 'files_read_media_file',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
        },
        required: ['path'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: {
            type: 'array',
            items: {
              anyOf: [
                {
                  type: 'object',
                  properties: {
                    type: { type: 'string', enum: ['image', 'audio'] },
                    data: { type: 'string' },
                    mimeType: { type: 'string' },
                  },
                  required: ['type', 'data', 'mimeType'],
                  additionalProperties: false,
                },
                {
                  type: 'object',
                  properties: {
                    type: { type: 'string', const: 'resource' },
                    resource: {
                      type: 'object',
                      properties: { uri: { type: 'string' }, mimeType: { type: 'string' }, blob: { type: 'string' } },
                      required: ['uri', 'blob'],
                      additionalProperties: false,
                    },
                  },
                  required: ['type', 'resource'],
                  additionalProperties: false,
                },
              ],
            },
          },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    readMultipleFiles: defineTool({
      description: "Read the contents of multiple files simultaneously. This is more efficient than reading files one by one when you need to analyze or compare multiple files. Each file's content is returned with its path as a reference. Failed reads for individual files won't stop the entire operation. Only works within allowed directories.",
      title: 'Read Multiple Files',
      toolName: 'files_read_multiple_files',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          paths: {
            minItems: 1,
            type: 'array',
            items: { type: 'string' },
            description: 'Array of file paths to read. Each path must be a string pointing to a valid file within allowed directories.',
          },
        },
        required: ['paths'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    writeFile: defineTool({
      description: 'Create a new file or completely overwrite an existing file with new content. Use with caution as it will overwrite existing files without warning. Handles text content with proper encoding. Only works within allowed directories.',
      title: 'Write File',
      toolName: 'files_write_file',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
          content: { type: 'string' },
        },
        required: ['path', 'content'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: false,
      destructive: true,
      idempotent: true,
    }),
    editFile: defineTool({
      description: 'Make line-based edits to a text file. Each edit replaces exact line sequences with new content. Returns a git-style diff showing the changes made. Only works within allowed directories.',
      title: 'Edit File',
      toolName: 'files_edit_file',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
          edits: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                oldText: { type: 'string', description: 'Text to search for - must match exactly' },
                newText: { type: 'string', description: 'Text to replace with' },
              },
              required: ['oldText', 'newText'],
            },
          },
          dryRun: { default: false, description: 'Preview changes using git-style diff format', type: 'boolean' },
        },
        required: ['path', 'edits'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: false,
      destructive: true,
      idempotent: false,
    }),
    createDirectory: defineTool({
      description: 'Create a new directory or ensure a directory exists. Can create multiple nested directories in one operation. If the directory already exists, this operation will succeed silently. Perfect for setting up directory structures for projects or ensuring required paths exist. Only works within allowed directories.',
      title: 'Create Directory',
      toolName: 'files_create_directory',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
        },
        required: ['path'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: false,
      destructive: false,
      idempotent: true,
    }),
    listDirectory: defineTool({
      description: 'Get a detailed listing of all files and directories in a specified path. Results clearly distinguish between files and directories with [FILE] and [DIR] prefixes. This tool is essential for understanding directory structure and finding specific files within a directory. Only works within allowed directories.',
      title: 'List Directory',
      toolName: 'files_list_directory',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
        },
        required: ['path'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    listDirectoryWithSizes: defineTool({
      description: 'Get a detailed listing of all files and directories in a specified path, including sizes. Results clearly distinguish between files and directories with [FILE] and [DIR] prefixes. This tool is useful for understanding directory structure and finding specific files within a directory. Only works within allowed directories.',
      title: 'List Directory with Sizes',
      toolName: 'files_list_directory_with_sizes',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
          sortBy: {
            default: 'name',
            description: 'Sort entries by name or size',
            type: 'string',
            enum: ['name', 'size'],
          },
        },
        required: ['path'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    directoryTree: defineTool({
      description: "Get a recursive tree view of files and directories as a JSON structure. Each entry includes 'name', 'type' (file/directory), and 'children' for directories. Files have no children array, while directories always have a children array (which may be empty). The output is formatted with 2-space indentation for readability. Only works within allowed directories.",
      title: 'Directory Tree',
      toolName: 'files_directory_tree',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
          excludePatterns: { default: [], type: 'array', items: { type: 'string' } },
        },
        required: ['path'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    moveFile: defineTool({
      description: 'Move or rename files and directories. Can move files between directories and rename them in a single operation. If the destination exists, the operation will fail. Works across different directories and can be used for simple renaming within the same directory. Both source and destination must be within allowed directories.',
      title: 'Move File',
      toolName: 'files_move_file',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          source: { type: 'string' },
          destination: { type: 'string' },
        },
        required: ['source', 'destination'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: false,
      destructive: true,
      idempotent: false,
    }),
    searchFiles: defineTool({
      description: "Recursively search for files and directories matching a pattern. The patterns should be glob-style patterns that match paths relative to the working directory. Use pattern like '*.ext' to match files in current directory, and '**/*.ext' to match files in all subdirectories. Returns full paths to all matching items. Great for finding files when you don't know their exact location. Only searches within allowed directories.",
      title: 'Search Files',
      toolName: 'files_search_files',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
          pattern: { type: 'string' },
          excludePatterns: { default: [], type: 'array', items: { type: 'string' } },
        },
        required: ['path', 'pattern'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    getFileInfo: defineTool({
      description: 'Retrieve detailed metadata about a file or directory. Returns comprehensive information including size, creation time, last modified time, permissions, and type. This tool is perfect for understanding file characteristics without reading the actual content. Only works within allowed directories.',
      title: 'Get File Info',
      toolName: 'files_get_file_info',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          path: { type: 'string' },
        },
        required: ['path'],
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    listAllowedDirectories: defineTool({
      description: 'Returns the list of directories that this server is allowed to access. Subdirectories within these allowed directories are also accessible. Use this to understand which directories and their nested paths are available before trying to access files.',
      title: 'List Allowed Directories',
      toolName: 'files_list_allowed_directories',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {},
      },
      result: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          content: { type: 'string' },
        },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
  },
})
