package media

import "strings"

// extensions are the content types that are taken, with the file name extension of each. A content
// type always comes from here and from nowhere else: it is never guessed from the bytes.
var extensions = map[string]string{
	"image/png": "png", "image/jpeg": "jpg", "image/jpg": "jpg", "image/webp": "webp", "image/gif": "gif",
	"image/svg+xml": "svg", "image/tiff": "tiff", "image/bmp": "bmp", "image/avif": "avif", "image/heic": "heic",

	"audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/wav": "wav", "audio/ogg": "ogg", "audio/oga": "oga",
	"audio/aac": "aac", "audio/mp4": "m4a", "audio/flac": "flac", "audio/opus": "opus", "audio/webm": "weba",

	"video/mp4": "mp4", "video/webm": "webm", "video/ogg": "ogv", "video/mpeg": "mpeg",
	"video/quicktime": "mov", "video/x-msvideo": "avi", "video/x-matroska": "mkv",

	"text/plain": "txt", "text/html": "html", "text/css": "css", "text/csv": "csv", "text/markdown": "md",
	"text/x-python": "py", "text/x-typescript": "ts",

	"application/javascript": "js", "application/x-yaml": "yaml", "application/pdf": "pdf",
	"application/msword": "doc", "application/vnd.ms-excel": "xls",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
	"application/zip": "zip", "application/json": "json", "application/xml": "xml",
	"application/octet-stream": "bin", "application/rtf": "rtf", "application/x-ndjson": "ndjson",
	"application/vnd.apache.parquet": "parquet", "application/gzip": "gz", "application/x-tar": "tar",
	"application/x-7z-compressed": "7z",
}

// ContentTypes lists every content type that is taken, in no particular order.
func ContentTypes() []string {
	list := make([]string, 0, len(extensions))
	for contentType := range extensions {
		list = append(list, contentType)
	}
	return list
}

func knownType(contentType string) bool { return extensions[contentType] != "" }

// Inline reports whether a browser may show the content in a page: images, sound and video, which
// no browser runs. SVG is an image that can hold scripts, so it is a download like all the rest.
func Inline(contentType string) bool {
	if contentType == "image/svg+xml" || !knownType(contentType) {
		return false
	}
	kind, _, _ := strings.Cut(contentType, "/")
	return kind == "image" || kind == "audio" || kind == "video"
}

// FileName is what a download of a media is called.
func FileName(id, contentType string) string { return id + "." + extensions[contentType] }
