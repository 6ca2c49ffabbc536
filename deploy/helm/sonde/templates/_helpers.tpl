{{- define "sonde.name" -}}
{{- if contains "sonde" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-sonde" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* What selects the pods of one node; takes the root and a node. */ -}}
{{- define "sonde.selector" -}}
app.kubernetes.io/name: sonde
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .node }}
{{- end }}

{{- define "sonde.labels" -}}
{{ include "sonde.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "sonde.secretName" -}}
{{- .Values.existingSecret | default (include "sonde.name" .) }}
{{- end }}

{{- /* Settings that all pods have. What was given by hand comes last and wins. */ -}}
{{- define "sonde.settings" -}}
{{- $v := .root.Values }}
{{- $settings := dict "SONDE_LISTEN" "0.0.0.0:3000" "SONDE_GRPC_LISTEN" "0.0.0.0:4317" "SONDE_DATA_DIR" "/data" "SONDE_LOGGING_FORMAT" "json" "SONDE_ROLE" .role }}
{{- $_ := set $settings "SONDE_STOP_WITHIN" (printf "%ds" (int $v.stopWithinSeconds)) }}
{{- $_ := set $settings "SONDE_METRICS_LISTEN" (ternary "0.0.0.0:9464" "127.0.0.1:9464" $v.metrics.enabled) }}
{{- with $v.publicUrl }}{{ $_ := set $settings "SONDE_PUBLIC_URL" . }}{{ end }}
{{- with $v.basePath }}{{ $_ := set $settings "SONDE_BASE_PATH" . }}{{ end }}
{{- if eq $v.mode "single" }}
{{- $_ := set $settings "SONDE_ENGINE_MEMORY" $v.single.engineMemory }}
{{- else }}
{{- $_ := set $settings "SONDE_DRAIN_FOR" "5s" }}
{{- $_ := set $settings "SONDE_EVENTLOG_PARTITIONS" ($v.cluster.eventlog.partitions | toString) }}
{{- $_ := set $settings "SONDE_EVENTLOG_REPLICAS" ($v.cluster.eventlog.replicas | toString) }}
{{- with $v.cluster.engine.cluster }}{{ $_ := set $settings "SONDE_ENGINE_CLUSTER" . }}{{ end }}
{{- if $v.cluster.engine.replicated }}{{ $_ := set $settings "SONDE_ENGINE_REPLICATED" "true" }}{{ end }}
{{- $_ := set $settings "SONDE_BLOB_S3_BUCKET" (required "cluster.blob.bucket: name the bucket that all nodes share" $v.cluster.blob.bucket) }}
{{- $_ := set $settings "SONDE_BLOB_S3_REGION" $v.cluster.blob.region }}
{{- with $v.cluster.blob.endpoint }}{{ $_ := set $settings "SONDE_BLOB_S3_ENDPOINT" . }}{{ end }}
{{- if $v.cluster.blob.pathStyle }}{{ $_ := set $settings "SONDE_BLOB_S3_PATH_STYLE" "true" }}{{ end }}
{{- end }}
{{- range $name, $value := mergeOverwrite $settings $v.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "sonde.probe" -}}
httpGet:
  path: {{ .root.Values.basePath }}/api/public/{{ .path }}
  port: http
  scheme: {{ if hasKey .root.Values.settings "SONDE_TLS_CERT" }}HTTPS{{ else }}HTTP{{ end }}
timeoutSeconds: 5
{{- end }}

{{- /* A pod; takes root, node, role, resources and whether data is on a volume of its own. */ -}}
{{- define "sonde.pod" -}}
metadata:
  labels:
    {{- include "sonde.labels" . | nindent 4 }}
    {{- with .root.Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    {{- /* Pods are started anew when secrets that the chart holds change. */}}
    checksum/secrets: {{ .root.Values.secrets | toJson | sha256sum }}
    {{- with .root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "sonde.name" .root }}
  automountServiceAccountToken: false
  # Longer than SONDE_STOP_WITHIN, so that an orderly stop is never cut.
  terminationGracePeriodSeconds: {{ add (int .root.Values.stopWithinSeconds) 10 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if not .persistent }}
  {{- with .root.Values.topologyKeys }}
  topologySpreadConstraints:
    {{- range . }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "sonde.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- end }}
  containers:
    - name: sonde
      image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [serve]
      env:
        {{- include "sonde.settings" . | trim | nindent 8 }}
      {{- if or .root.Values.existingSecret .root.Values.secrets }}
      envFrom:
        - secretRef:
            name: {{ include "sonde.secretName" .root }}
      {{- end }}
      ports:
        - name: http
          containerPort: 3000
        - name: grpc
          containerPort: 4317
        - name: metrics
          containerPort: 9464
      startupProbe:
        {{- include "sonde.probe" (dict "root" .root "path" "health") | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 150
      livenessProbe:
        {{- include "sonde.probe" (dict "root" .root "path" "health") | nindent 8 }}
        periodSeconds: 10
        failureThreshold: 6
      readinessProbe:
        {{- include "sonde.probe" (dict "root" .root "path" "ready") | nindent 8 }}
        periodSeconds: 5
        failureThreshold: 2
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      {{- with .resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if not .persistent }}
    - name: data
      emptyDir: {}
    {{- end }}
{{- end }}
