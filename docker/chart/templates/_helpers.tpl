{{- define "switchboard.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "switchboard.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "switchboard.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "switchboard.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* what a part is found by; for good: selectors cannot change. Takes (dict "root" $ "part" "api"). */ -}}
{{- define "switchboard.selector" -}}
app.kubernetes.io/name: {{ include "switchboard.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "switchboard.labels" -}}
{{ include "switchboard.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | quote }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "switchboard.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- if hasPrefix "sha256:" $tag -}}
{{ .Values.image.repository }}@{{ $tag }}
{{- else -}}
{{ .Values.image.repository }}:{{ $tag }}
{{- end -}}
{{- end -}}

{{- /* of every pod: no root, no rights to gain, no token of the cluster */ -}}
{{- define "switchboard.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
{{ toYaml . | indent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "switchboard.container" -}}
image: {{ include "switchboard.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- /* variables: those of all, then those of the part; secrets by reference. Takes root and env. */ -}}
{{- define "switchboard.env" -}}
{{- $values := .root.Values -}}
{{- range $key := concat (list "DATABASE_URL" "REDIS_URL" "JWT_SECRET" "ENCRYPTION_KEY") $values.secrets.more }}
- name: {{ $key }}
  valueFrom:
    secretKeyRef:
      name: {{ $values.secrets.main }}
      key: {{ $key }}
{{- end }}
{{- with $values.redisCa }}
- name: REDIS_CA
  value: /etc/switchboard/redis/ca.crt
{{- end }}
{{- range $name, $value := merge (dict) .env $values.env }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end -}}

{{- define "switchboard.mounts" -}}
- name: tmp
  mountPath: /tmp
- name: data
  mountPath: /data
{{- if .Values.redisCa }}
- name: redis-ca
  mountPath: /etc/switchboard/redis
  readOnly: true
{{- end }}
{{- end -}}

{{- /* Takes root and shared: whether the part's data are submit logs. */ -}}
{{- define "switchboard.volumes" -}}
- name: tmp
  emptyDir: {}
- name: data
{{- if and .shared (eq .root.Values.data.type "hostPath") }}
  hostPath:
    path: {{ .root.Values.data.hostPath }}
    type: Directory
{{- else }}
  emptyDir: {}
{{- end }}
{{- with .root.Values.redisCa }}
- name: redis-ca
  secret:
    secretName: {{ . }}
{{- end }}
{{- end -}}

{{- /* Takes port: the name of the container's. */ -}}
{{- define "switchboard.probes" -}}
startupProbe:
  httpGet: { path: /health/live, port: {{ .port }} }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /health/live, port: {{ .port }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /health/ready, port: {{ .port }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end -}}

{{- /* pods of a part over zones and nodes, as far as there are some. Takes root, part and values. */ -}}
{{- define "switchboard.placement" -}}
topologySpreadConstraints:
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
{{ include "switchboard.selector" $ | indent 8 }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
{{ toYaml . | indent 2 }}
{{- end }}
{{- end -}}

{{- /* Takes root, part and values. */ -}}
{{- define "switchboard.budget" -}}
{{- if .values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "switchboard.fullname" .root }}-{{ .part }}
  labels:
{{ include "switchboard.labels" . | indent 4 }}
spec:
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
{{ include "switchboard.selector" . | indent 6 }}
{{- end }}
{{- end -}}

{{- /* by the CPU. Takes root, part and values. */ -}}
{{- define "switchboard.scaleByCpu" -}}
{{- if .values.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "switchboard.fullname" .root }}-{{ .part }}
  labels:
{{ include "switchboard.labels" . | indent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "switchboard.fullname" .root }}-{{ .part }}
  minReplicas: {{ .values.autoscaling.minReplicas }}
  maxReplicas: {{ .values.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .values.autoscaling.cpu }}
{{- end }}
{{- end -}}

{{- /* Takes root, part and values. */ -}}
{{- define "switchboard.service" -}}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "switchboard.fullname" .root }}-{{ .part }}
  labels:
{{ include "switchboard.labels" . | indent 4 }}
{{- with .values.service.annotations }}
  annotations:
{{ toYaml . | indent 4 }}
{{- end }}
spec:
  type: {{ .values.service.type }}
  ports:
    - name: http
      port: {{ .values.service.port }}
      targetPort: http
      protocol: TCP
  selector:
{{ include "switchboard.selector" . | indent 4 }}
{{- if .values.ingress.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "switchboard.fullname" .root }}-{{ .part }}
  labels:
{{ include "switchboard.labels" . | indent 4 }}
{{- with .values.ingress.annotations }}
  annotations:
{{ toYaml . | indent 4 }}
{{- end }}
spec:
{{- with .values.ingress.className }}
  ingressClassName: {{ . }}
{{- end }}
{{- with .values.ingress.tlsSecret }}
  tls:
    - hosts: [{{ $.values.ingress.host | quote }}]
      secretName: {{ . }}
{{- end }}
  rules:
    - host: {{ required "ingress.host is needed" .values.ingress.host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ include "switchboard.fullname" .root }}-{{ .part }}
                port: { name: http }
{{- end }}
{{- end -}}
